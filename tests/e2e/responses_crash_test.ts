/**
 * What is true of answers in the background after the program was killed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { assertBooksAddUp, balanceOf, NONE, servePaying } from "../support/paying_gateway.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

async function respond(gateway: ServedGateway, key: string, fields: object) {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", input: "Hello", ...fields }),
  });
  return { id: response.headers.get("x-request-id")!, body: await response.json() };
}

Deno.test("after kill -9 an answer in the background is failed, and its hold is given back", async () => {
  const answer = jsonReply(
    answerBody("Hi", { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }),
  );
  let calls = 0;
  await using upstream = await startFakeUpstream(() =>
    ++calls === 1 ? answer : { ...answer, before: ["stall!"] }
  );
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const done = await respond(gateway, key, { background: true });
  await until(
    "the first answer",
    async () => (await gateway.get(`/v1/responses/${done.body.id}`, key)).status === "completed",
  );
  const lost = await respond(gateway, key, { background: true });
  assert.equal(lost.body.status, "queued");
  await upstream.received(1);
  // Asking for the call waits until its hold is on disk.
  const open = await gateway.cli("calls", "show", lost.id);
  assert.deepEqual([open.state, open.capability], ["open", "responses"]);
  assert.notEqual(open.held, NONE);
  const { signal } = await gateway.server.kill();
  assert.equal(signal, "SIGKILL");

  for (const start of ["first", "second"]) {
    await using again = await serveGateway({ dataDir: gateway.server.dataDir });
    assert.deepEqual(await balanceOf(again), { balance: "9.99600000", held: NONE }, start);
    const failed = await again.get(`/v1/responses/${lost.body.id}`, key);
    assert.equal(failed.status, "failed");
    assert.deepEqual([failed.id, failed.error.code], [lost.body.id, "server_error"]);
    assert.match(failed.error.message, /gateway was stopped/);
    const { state, result, charged } = await again.cli("calls", "show", lost.id);
    assert.deepEqual([state, result, charged], ["released", "gateway_stopped", NONE]);
    const kept = await again.get(`/v1/responses/${done.body.id}`, key);
    assert.deepEqual([kept.status, kept.pricing.sale_amount], ["completed", "0.00400000"]);
    await assertBooksAddUp(again);
    const cancelled = await fetch(`${again.url}/v1/responses/${lost.body.id}/cancel`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    });
    assert.deepEqual([cancelled.status, (await cancelled.json()).status], [200, "failed"]);
    await again.server.kill();
  }
  assert.equal(upstream.requests.length, 2);
});
