/**
 * A project that has used up its room for what is kept: it is answered all the same,
 * and told what is not kept.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/providers/provider.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import {
  eventsOf,
  keptResponses,
  type ResponsesGateway,
  startResponsesGateway,
} from "../../support/responses_gateway.ts";
import { lastCall } from "../../support/settled_calls.ts";
import { until } from "../../support/until.ts";

const QUOTA = 20_000;
const disk = { keptBytesPerProject: QUOTA };
/** An input that the built-in model repeats: with its answer it takes two thirds of the quota. */
const LARGE = { model: "echo-1", input: "x".repeat(6_000) };

function start(): Promise<ResponsesGateway> {
  return startResponsesGateway("http://127.0.0.1:9/v1", { disk });
}

Deno.test("an answer beyond the quota is given, charged, and says that it is not stored", async () => {
  await using gateway = await start();
  const first = await gateway.respond(LARGE);
  assert.equal(first.store, true);
  const before = await gateway.balance();
  const second = await gateway.respond(LARGE);
  assert.equal(second.store, false);
  assert.equal(second.status, "completed");
  assert.ok((await gateway.balance()).avail < before.avail, "it was made, and paid for");
  assert.deepEqual(await keptResponses(gateway), [{ id: first.id, status: "completed" }]);
  assert.equal((await gateway.api("GET", `/responses/${first.id}`)).status, 200);
  const gone = await gateway.api("GET", `/responses/${second.id}`);
  assert.equal(gone.body.error.code, "response_not_found");
  const told = /"event":"answers_not_kept".*"project":"paying".*"why":"quota"/;
  await until("the log to tell of it", () => told.test(gateway.log()));
  // Another project, and a smaller answer of the same one, have room.
  assert.equal((await gateway.respond(LARGE, { key: gateway.stranger })).store, true);
  assert.equal((await gateway.respond({ model: "echo-1", input: "x" })).store, true);

  const { status } = await gateway.api("DELETE", `/responses/${first.id}`);
  assert.equal(status, 200);
  assert.equal((await gateway.respond(LARGE)).store, true, "deleting makes room at once");
});

Deno.test("a stream beyond the quota says so in its last event", async () => {
  await using gateway = await start();
  await gateway.respond(LARGE);
  const answer = await gateway.send("POST", "/responses", { body: { ...LARGE, stream: true } });
  const last = eventsOf(await answer.text()).at(-1)!;
  assert.equal(last.type, "response.completed");
  const { id, store, status } = last.response as JsonObject;
  assert.deepEqual({ store, status }, { store: false, status: "completed" });
  assert.equal((await gateway.api("GET", `/responses/${id}`)).status, 404);
});

Deno.test("an answer for an Idempotency-Key beyond the quota is charged once, and its key says that it was not kept", async () => {
  await using gateway = await start();
  await gateway.respond(LARGE);
  const before = (await gateway.balance()).avail;
  const ask = (body: JsonObject) =>
    gateway.api("POST", "/responses", { body, headers: { "idempotency-key": "k1" } });
  const first = await ask({ ...LARGE, store: false });
  assert.equal(first.status, 200);
  const paid = (await gateway.balance()).avail;
  assert.ok(paid < before);
  const again = await ask({ ...LARGE, store: false });
  assert.equal(again.status, 400);
  assert.equal(again.body.error.code, "idempotent_answer_not_kept");
  assert.match(again.body.error.message, /no room left for it/);
  assert.equal((await gateway.balance()).avail, paid);
});

Deno.test("an answer in the background that cannot be kept is refused before anyone is asked", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  await gateway.respond(LARGE);
  const before = await gateway.balance();
  const refused = await gateway.api("POST", "/responses", {
    body: { ...LARGE, model: "m", input: "x".repeat(10_000), background: true },
  });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.error.code, "kept_quota_reached");
  assert.equal(refused.body.error.param, "background");
  assert.match(refused.body.error.message, /Delete kept answers .* without 'background'/);
  await gateway.quiet();
  assert.deepEqual(await gateway.balance(), before);
  assert.equal(upstream.requests.length, 0);
  assert.equal((await keptResponses(gateway)).length, 1);
});

Deno.test("an answer in the background that grows beyond the quota fails, free of charge, and says why", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("y".repeat(QUOTA))));
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  const before = await gateway.balance();
  const { id } = await gateway.respond({ input: "Hello", background: true });
  const failed = await until("its end", async () => {
    const { body } = await gateway.api("GET", `/responses/${id}`);
    return body.status !== "queued" && body;
  });
  assert.equal(failed.status, "failed");
  assert.match(failed.error.message, /no room left to keep an answer.*nothing was charged/);
  await gateway.quiet();
  assert.deepEqual(await gateway.balance(), before);
  const { state, usage, lossE8, saleE8, errorCode } = await lastCall(gateway);
  assert.deepEqual([state, errorCode], ["released", "kept_quota_reached"]);
  assert.deepEqual([usage.promptTokens, usage.completionTokens], [10, 5]);
  assert.ok(lossE8 > 0n && lossE8 === saleE8, "the upstream has worked: the operator pays");
});

Deno.test("a request that is not to be kept takes no room", async () => {
  await using gateway = await start();
  for (let time = 0; time < 4; time++) {
    assert.equal((await gateway.respond({ ...LARGE, store: false })).store, false);
  }
  assert.equal(gateway.log().includes("answers_not_kept"), false);
  assert.equal((await gateway.respond(LARGE)).store, true);
});
