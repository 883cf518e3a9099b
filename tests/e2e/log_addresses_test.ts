/**
 * What the log says of who asks, and of secrets that are read again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const HELLO = { model: "echo-1", messages: [{ role: "user", content: "Hello" }] };

function linesOf(stderr: string, event: string): Record<string, unknown>[] {
  return stderr.split("\n").filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line));
}

for (
  const { args, address } of [
    { args: ["--trusted-proxies", "127.0.0.0/8"], address: "198.51.100.9" },
    { args: [], address: "127.0.0.1" },
  ]
) {
  Deno.test(`with ${args.join(" ") || "no trusted proxy"} calls are logged as of ${address}`, async () => {
    await using gateway = await serveGateway({ args: [...args, "--log-format", "json"] });
    const headers = { "x-forwarded-for": "1.1.1.1, 198.51.100.9" };
    await (await gateway.chat(gateway.server.key, HELLO, { headers })).text();
    await (await gateway.chat("sk-tg-wrong", HELLO, { headers })).text();
    const [call] = await until("the call's line", () => {
      const lines = linesOf(gateway.server.stderr, "call");
      return lines.length > 0 && lines;
    });
    const [request] = await until("the refusal's line", () => {
      const lines = linesOf(gateway.server.stderr, "request").filter(({ status }) =>
        status === 401
      );
      return lines.length > 0 && lines;
    });
    assert.equal(call!.address, address);
    assert.equal(request!.address, address);
    assert.match(String(call!.key), /^key_/);
    assert.deepEqual([call!.model, call!.attempts], ["echo-1", 1]);
    assert.ok(!gateway.server.stderr.includes(gateway.server.key));
  });
}

Deno.test("SIGHUP says which secrets have changed, and never what they are", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [one, other] = [`${folder}/one`, `${folder}/other`];
    await Deno.writeTextFile(one, "first-secret-0123");
    await Deno.writeTextFile(other, "other-secret-0123");
    const provider = (id: string, file: string) =>
      `  - { id: ${id}, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", api_key: "file:${file}" }`;
    await using gateway = await serveGateway({
      args: ["--log-format", "json"],
      catalogue: `currency: USD\nproviders:\n${provider("a", one)}\n${provider("b", other)}\n`,
    });
    await Deno.writeTextFile(one, "second-secret-0123");
    gateway.server.process.kill("SIGHUP");
    const [read] = await until("the line of secrets", () => {
      const lines = linesOf(gateway.server.stderr, "secrets_read");
      return lines.length > 0 && lines;
    });
    assert.deepEqual([read!.files, read!.changed, read!.which], [2, 1, `file:${one}`]);
    assert.doesNotMatch(gateway.server.stderr, /-secret-0123/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
