/**
 * A key in a file that is changed while the program serves.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

Deno.test("SIGHUP reads secret files again, without --catalog, and keeps what cannot be read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-secrets-" });
  const file = `${folder}/upstream-key`;
  await Deno.writeTextFile(file, "first-key-0123456789\n");
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await serveGateway({
    catalogue: `
currency: USD
providers: [{ id: up, kind: openai_compatible, base_url: "${upstream.url}", api_key: "file:${file}" }]
models:
  - { id: m, kind: chat, routes: [{ id: up/m, provider: up, upstream_model: x, sale: { free: true } }] }
projects: [{ id: default, unlimited: true }]
`,
  });
  const key = await gateway.key("default");
  const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };
  const used = async () => {
    const answer = await gateway.chat(key, ask);
    assert.equal(answer.status, 200, await answer.text());
    return /authorization: Bearer ([^\r\n]+)/i.exec(upstream.requests.at(-1)!.head)?.[1];
  };
  const reload = async (line: RegExp) => {
    const seen = gateway.server.stderr.length;
    gateway.server.process.kill("SIGHUP");
    await until("the reload", () => line.test(gateway.server.stderr.slice(seen)));
  };
  assert.equal(await used(), "first-key-0123456789");
  await Deno.writeTextFile(file, "second-key-0123456789\n");
  await reload(/secrets_read/);
  assert.equal(await used(), "second-key-0123456789");
  await Deno.writeTextFile(file, "");
  await reload(/secret_kept.*is empty[^]*secrets_read/);
  assert.equal(await used(), "second-key-0123456789");
  assert.doesNotMatch(gateway.server.stderr, /-key-0123456789/);
  await Deno.remove(folder, { recursive: true });
});
