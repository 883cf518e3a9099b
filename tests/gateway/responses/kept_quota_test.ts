/**
 * A project that has used up its room for what is kept: it is answered all the same,
 * and told what is not kept.
 *
 * @module
 */

import { nested } from "../../support/nested_tokens.ts";
import assert from "node:assert/strict";
import { ANSWER_ROW_BYTES } from "../../../src/domain/kept_bytes.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import {
  type ApiAnswer,
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

/** An answer in the background once it has ended. */
function endOf(gateway: ResponsesGateway, id: string): Promise<ApiAnswer["body"]> {
  return until("its end", async () => {
    const { body } = await gateway.api("GET", `/responses/${id}`);
    return body.status !== "queued" && body;
  });
}

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
  const told =
    /"event":"answers_not_kept".*"project":"paying".*"why":"quota".*projects set paying --kept-bytes/;
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

Deno.test("what remembers that an answer was not kept counts too, and takes room from what is kept", async () => {
  await using gateway = await start();
  const bytes = () => gateway.admin.room.bytesOf("paying");
  await gateway.respond(LARGE);
  const before = bytes();
  for (let time = 0; time < 20; time++) {
    const answer = await gateway.api("POST", "/responses", {
      body: { ...LARGE, store: false },
      headers: { "idempotency-key": `k${time}` },
    });
    assert.equal(answer.status, 200);
  }
  assert.equal(bytes() - before, 20 * ANSWER_ROW_BYTES);
  assert.ok(bytes() > QUOTA);
  assert.equal((await gateway.respond({ model: "echo-1", input: "x" })).store, false);
});

Deno.test("cancelling what has ended leaves no rows that nobody has room for", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  const { id } = await gateway.respond({ input: "Hello", background: true });
  const ended = await endOf(gateway, id);
  await gateway.respond(LARGE);
  await gateway.api("POST", "/chat/completions", {
    body: { model: "echo-1", messages: [{ role: "user", content: "x".repeat(4_000) }] },
    headers: { "idempotency-key": "chat" },
  });
  const before = gateway.admin.room.bytesOf("paying");
  assert.ok(before + ANSWER_ROW_BYTES + JSON.stringify(ended).length > QUOTA, `${before}`);
  for (let time = 0; time < 20; time++) {
    const cancelled = await gateway.api("POST", `/responses/${id}/cancel`, {
      headers: { "idempotency-key": `k${time % 10}` },
    });
    assert.deepEqual([cancelled.status, cancelled.body], [200, ended], "a repeat too");
  }
  assert.equal(gateway.admin.room.bytesOf("paying"), before);
});

Deno.test("an answer in the background that cannot be kept is refused before anyone is asked", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  await gateway.respond(LARGE);
  const before = await gateway.balance();
  const calls = await gateway.admin.storage.calls.lastCallId();
  for (const fields of [{ input: "x".repeat(10_000) }, { input: "x".repeat(4_400) }]) {
    const refused = await gateway.api("POST", "/responses", {
      body: { ...LARGE, model: "m", ...fields, background: true },
    });
    const left = QUOTA - gateway.admin.room.bytesOf("paying");
    assert.equal(refused.status, 400, `${left} bytes were left`);
    assert.equal(refused.body.error.code, "kept_quota_reached");
    assert.equal(refused.body.error.param, "background");
    assert.match(
      refused.body.error.message,
      /Delete kept answers .* smaller 'max_output_tokens'\), or .* without 'background'/,
    );
  }
  await gateway.quiet();
  assert.deepEqual(await gateway.balance(), before);
  assert.equal(upstream.requests.length, 0);
  assert.equal((await keptResponses(gateway)).length, 1);
  const call = await gateway.admin.storage.calls.find(calls + 1);
  assert.equal(call, undefined, "no call, and no loss for a request that nobody has worked on");
});

Deno.test("answers in the background that are under way have their room: others are refused, not made for nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reply = { ...jsonReply(answerBody("Hi")), before: [promise] };
  await using upstream = await startFakeUpstream(reply);
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  const body = { model: "m", input: "x".repeat(4_000), background: true };
  const asked = await Promise.all(
    [1, 2, 3, 4, 5].map(() => gateway.api("POST", "/responses", { body })),
  );
  const taken = asked.filter(({ status }) => status === 200);
  assert.equal(taken.length, 2, JSON.stringify(asked.map(({ status }) => status)));
  resolve();
  for (const { body: { id } } of taken) {
    assert.equal((await endOf(gateway, id)).status, "completed");
  }
  await gateway.quiet();
  assert.equal(upstream.requests.length, 2);
  assert.equal((await keptResponses(gateway)).length, 2);
});

Deno.test("an answer in the background that grows beyond the quota is charged, and says why it is not kept", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("y".repeat(QUOTA))));
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  const before = await gateway.balance();
  const answer = await gateway.api("POST", "/responses", {
    body: { model: "m", input: "Hello", background: true },
  });
  const requestId = answer.headers.get("x-request-id")!;
  const failed = await endOf(gateway, answer.body.id);
  assert.equal(failed.status, "failed");
  assert.equal(failed.error.code, "answer_not_kept");
  assert.match(failed.error.message, /made and charged.*no room left.*DELETE \/v1\/responses/);
  assert.match(failed.error.message, new RegExp(`GET /v1/calls/${requestId}`));
  assert.doesNotMatch(JSON.stringify(failed), /yyy/);
  await gateway.quiet();
  const { state, result, work, lossE8, saleE8, chargedE8, errorCode } = await lastCall(gateway);
  assert.deepEqual([state, result, errorCode], ["settled", "completed", "answer_not_kept"]);
  assert.deepEqual([nested(work).promptTokens, nested(work).completionTokens], [10, 5]);
  assert.ok(chargedE8 > 0n && chargedE8 === saleE8 && lossE8 === 0n);
  const after = await gateway.balance();
  assert.deepEqual(after, { avail: before.avail - chargedE8, held: 0n });
  const { body: call } = await gateway.api("GET", `/calls/${requestId}`);
  assert.deepEqual([call.state, call.error_code], ["settled", "answer_not_kept"]);
  assert.deepEqual(await keptResponses(gateway), [{ id: failed.id, status: "failed" }]);
  assert.deepEqual(await gateway.admin.storage.sessions.withOpen(), []);
});

Deno.test("an answer in the background that the disk has no room for is free, and counts against budgets", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = "y".repeat(4_000);
  await using upstream = await startFakeUpstream({
    ...jsonReply(answerBody(long)),
    before: [promise],
  });
  await using gateway = await startResponsesGateway(upstream.url);
  const before = await gateway.balance();
  const { id } = await gateway.respond({ input: "Hello", background: true });
  await upstream.received(0);
  Object.assign(gateway.admin.room, { take: () => "disk" });
  resolve();
  const failed = await endOf(gateway, id);
  assert.equal(failed.error.code, "answer_not_kept");
  assert.match(failed.error.message, /disk has no room.*not charged/);
  await gateway.quiet();
  assert.deepEqual(await gateway.balance(), before);
  const { state, lossE8, saleE8, errorCode } = await lastCall(gateway);
  assert.deepEqual([state, errorCode], ["released", "answer_not_kept"]);
  assert.ok(lossE8 > 0n && lossE8 === saleE8, "the operator pays");
  const { dayE8 } = gateway.admin.spending.view({ scope: "project", id: "paying" });
  assert.equal(dayE8, saleE8, "and nobody gets around budgets by it");
});

Deno.test("an answer in the background that is no longer than was promised is kept, whatever becomes of the disk", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream({
    ...jsonReply(answerBody("Hi")),
    before: [promise],
  });
  await using gateway = await startResponsesGateway(upstream.url, { disk });
  const { id } = await gateway.respond({ input: "Hello", background: true });
  await upstream.received(0);
  const beforehand = gateway.admin.room.bytesOf("paying");
  Object.assign(gateway.admin.room, { take: () => "disk" });
  resolve();
  assert.equal((await endOf(gateway, id)).status, "completed");
  await gateway.quiet();
  const kept = await gateway.admin.storage.responses.size({
    projectId: "paying",
    responseId: id,
  });
  assert.equal(gateway.admin.room.bytesOf("paying"), kept);
  assert.ok(kept! < beforehand, "what was promised beyond it is given back");
});

Deno.test("a request that is not to be kept takes no room", async () => {
  await using gateway = await start();
  for (let time = 0; time < 4; time++) {
    assert.equal((await gateway.respond({ ...LARGE, store: false })).store, false);
  }
  assert.equal(gateway.log().includes("answers_not_kept"), false);
  assert.equal((await gateway.respond(LARGE)).store, true);
});
