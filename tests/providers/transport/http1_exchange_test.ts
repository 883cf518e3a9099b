/**
 * What a failed exchange is blamed on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { failureOf, never, timeouts } from "../../support/provider_parts.ts";

for (const code of ["EMFILE", "ENFILE", "ECONNREFUSED"]) {
  const isOurs = code !== "ECONNREFUSED";
  const blamed = isOurs ? "this process" : "the upstream";
  Deno.test(`an exchange blames ${blamed} when a connection fails with ${code}`, async () => {
    const transport = createHttp1Transport({
      clock: systemClock,
      connect: () => Promise.reject(Object.assign(new Error("refused"), { code })),
    });
    try {
      const { failure } = await failureOf(transport.request({
        method: "POST",
        url: "http://upstream.example/v1",
        headers: {},
        body: "{}",
        timeouts: timeouts({}),
        stream: false,
      }, never()));
      assert.equal(failure, isOurs ? "starved" : "broken");
    } finally {
      transport.close();
    }
  });
}
