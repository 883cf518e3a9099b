import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { never, timeouts } from "../../support/provider_parts.ts";

const ROWS: readonly [
  name: string,
  proxied: { http: boolean; https: boolean } | undefined,
  own: boolean,
][] = [
  ["no proxy is known of", undefined, true],
  ["a proxy is for HTTPS alone", { http: false, https: true }, true],
  ["a proxy may apply", { http: true, https: false }, false],
];

for (const [name, proxied, own] of ROWS) {
  Deno.test(`createTransport() calls ${own ? "by itself" : "by the runtime"} when ${name}`, async () => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    const transport = createTransport({
      clock: systemClock,
      ...(proxied === undefined ? {} : { proxied }),
    });
    const response = await transport.request({
      method: "GET",
      url: upstream.url,
      headers: {},
      body: undefined,
      timeouts: timeouts({}),
      stream: false,
    }, never());
    assert.equal(await response.text(100), "{}");
    transport.close();
    // The runtime names its encodings; our own connections want none.
    const isOwn = upstream.requests[0]!.headers.get("accept-encoding") === "identity";
    assert.equal(isOwn, own);
  });
}
