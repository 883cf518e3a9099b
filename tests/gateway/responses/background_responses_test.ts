/**
 * Answers in the background: made, looked at, given up.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { lastCall } from "../../support/settled_calls.ts";
import {
  keptResponses,
  type ResponsesGateway,
  startResponsesGateway,
} from "../../support/responses_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import { until } from "../../support/until.ts";

const ask = { model: "m", input: "Hello", background: true };

/** A reply that comes when the test says so. */
function heldReply(): { readonly reply: Reply; readonly let: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reply = {
    ...jsonReply(answerBody("Hi", { prompt_tokens: 1_000, completion_tokens: 500 })),
  };
  return { reply: { ...reply, before: [promise] }, let: resolve };
}

/** The answer once it is no longer on its way. */
function ended(gateway: ResponsesGateway, id: string): Promise<JsonObject> {
  return until("the answer's end", async () => {
    const { status, body } = await gateway.api("GET", `/responses/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.status !== "queued" && body.status !== "in_progress" && body;
  }, { everyMs: 2 });
}

Deno.test("an answer in the background is kept as queued before anyone is asked, then completes", async () => {
  const held = heldReply();
  await using upstream = await startFakeUpstream(held.reply);
  await using gateway = await startResponsesGateway(upstream.url);
  const queued = await gateway.respond({
    ...ask,
    instructions: "Be brief",
    metadata: { order: "7" },
    temperature: 0.5,
  });
  assert.equal(queued.status, "queued");
  assertSatisfies(schemas, "Response", queued);
  const { instructions, metadata, temperature, background, store, output, model } = queued;
  assert.deepEqual({ instructions, metadata, temperature, background, store, output, model }, {
    instructions: "Be brief",
    metadata: { order: "7" },
    temperature: 0.5,
    background: true,
    store: true,
    output: [],
    model: "m",
  });
  await upstream.received(0);
  const { body: seen } = await gateway.api("GET", `/responses/${queued.id}`);
  assert.deepEqual(seen, queued);
  assert.notEqual((await gateway.balance()).held, 0n);
  held.let();
  const done = await ended(gateway, queued.id);
  assertSatisfies(schemas, "Response", done);
  assert.equal(done.status, "completed");
  assert.deepEqual([done.id, done.created_at, done.background], [
    queued.id,
    queued.created_at,
    true,
  ]);
  assert.match(JSON.stringify(done.output), /"text":"Hi"/);
  assert.deepEqual(done.pricing, {
    currency: "USD",
    cost_amount: "0.00200000",
    sale_amount: "0.00400000",
  });
  assert.deepEqual([done.provider, done.route], ["remote", "remote/m"]);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n - 400_000n, held: 0n });
  assert.equal(upstream.requests.length, 1);
  for (const field of ["background", "store", "previous_response_id"]) {
    assert.equal(field in upstream.requests[0]!.json(), false, field);
  }
  // Nothing is left to cancel: it is shown as it ended.
  const cancelled = await gateway.api("POST", `/responses/${queued.id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body], [200, done]);
});

Deno.test("what is made without any wait completes too", async () => {
  await using gateway = await startResponsesGateway();
  for (let turn = 0; turn < 20; turn++) {
    const { id } = await gateway.respond({ ...ask, model: "echo-1" });
    assert.equal((await ended(gateway, id)).status, "completed");
  }
});

Deno.test("a request in the background that is refused at once is answered so, and nothing is kept", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url);
  const refusals: readonly (readonly [fields: JsonObject, status: number, code: string])[] = [
    [{ model: "none" }, 404, "model_not_found"],
    [{ model: "embed" }, 400, "invalid_value"],
    [{ route: "remote/none" }, 400, "ROUTE_NOT_SELECTABLE"],
    [{ max_output_tokens: 100_000_000 }, 402, "INSUFFICIENT_BALANCE"],
    [{ input: [] }, 400, "invalid_value"],
    [{ stream: true }, 400, "not_supported"],
    [{ store: false }, 400, "invalid_value"],
  ];
  for (const [fields, status, code] of refusals) {
    const { status: seen, body } = await gateway.api("POST", "/responses", {
      body: { ...ask, ...fields },
    });
    assert.deepEqual([seen, body.error.code], [status, code], JSON.stringify(body));
  }
  assert.deepEqual(await keptResponses(gateway), []);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
  assert.equal(upstream.requests.length, 0);
});

Deno.test("cancel ends an answer in the background, frees its hold and closes the upstream", async () => {
  await using upstream = await startFakeUpstream(heldReply().reply);
  await using gateway = await startResponsesGateway(upstream.url);
  const { id } = await gateway.respond(ask);
  const request = await upstream.received(0);
  const foreign = await gateway.api("POST", `/responses/${id}/cancel`, { key: gateway.stranger });
  assert.equal(foreign.status, 404);
  const { status, body } = await gateway.api("POST", `/responses/${id}/cancel`);
  assert.equal(status, 200);
  assert.equal(body.status, "cancelled");
  assertSatisfies(schemas, "Response", body);
  await request.closed;
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
  assert.deepEqual((await gateway.api("GET", `/responses/${id}`)).body, body);
  assert.deepEqual((await gateway.api("POST", `/responses/${id}/cancel`)).body, body);
  assert.deepEqual([(await lastCall(gateway)).state, (await lastCall(gateway)).result], [
    "released",
    "client_aborted",
  ]);
  assert.equal(upstream.requests.length, 1);
  assert.doesNotMatch(gateway.log(), /response_trouble/);
});

Deno.test("only an answer in the background can be cancelled", async () => {
  await using gateway = await startResponsesGateway();
  const { id } = await gateway.respond({ model: "echo-1", input: "Hello" });
  const { status, body } = await gateway.api("POST", `/responses/${id}/cancel`);
  assert.deepEqual([status, body.error.code], [400, "invalid_value"]);
  assert.match(body.error.message, /background: true/);
});

Deno.test("an answer that is deleted while it is made is given up and stays away", async () => {
  await using upstream = await startFakeUpstream(heldReply().reply);
  await using gateway = await startResponsesGateway(upstream.url);
  const { id } = await gateway.respond(ask);
  const request = await upstream.received(0);
  const deleted = await gateway.api("DELETE", `/responses/${id}`);
  assert.deepEqual(deleted.body, { id, object: "response", deleted: true });
  await request.closed;
  await gateway.quiet();
  assert.equal((await gateway.api("GET", `/responses/${id}`)).status, 404);
  assert.equal((await gateway.api("POST", `/responses/${id}/cancel`)).status, 404);
  assert.equal((await gateway.api("DELETE", `/responses/${id}`)).status, 404);
  assert.deepEqual(await keptResponses(gateway), []);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
  assert.doesNotMatch(gateway.log(), /response_trouble/);
});

Deno.test("an answer in the background that cannot be made is kept as failed, free of charge", async () => {
  const secret = "http://10.0.0.7/internal";
  await using upstream = await startFakeUpstream(
    jsonReply({ error: { message: `${secret} is down` } }, { status: 500 }),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const { id } = await gateway.respond(ask);
  const failed = await ended(gateway, id);
  assertSatisfies(schemas, "Response", failed);
  assert.equal(failed.status, "failed");
  assert.deepEqual(failed.output, []);
  const { code, message } = failed.error as JsonObject;
  assert.equal(code, "server_error");
  assert.ok(typeof message === "string" && message.length > 20);
  assert.doesNotMatch(JSON.stringify(failed), /10\.0\.0\.7/);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});

Deno.test("the caller of an answer in the background may go away", async () => {
  const held = heldReply();
  await using upstream = await startFakeUpstream(held.reply);
  await using gateway = await startResponsesGateway(upstream.url);
  const abort = new AbortController();
  const { id } = await gateway.respond(ask, { signal: abort.signal });
  await upstream.received(0);
  abort.abort();
  held.let();
  assert.equal((await ended(gateway, id)).status, "completed");
});

Deno.test("a gateway that stops waits for answers in the background, then keeps them as failed", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  try {
    const patient = heldReply();
    await using upstream = await startFakeUpstream(patient.reply);
    const first = await startResponsesGateway(upstream.url, { dataDir });
    const { id: made } = await first.respond(ask);
    await upstream.received(0);
    const stopping = first.stop();
    // Nothing new is taken while it waits.
    patient.let();
    await stopping;

    upstream.answer(heldReply().reply);
    const second = await startResponsesGateway(upstream.url, { dataDir, drainTimeoutMs: 1 });
    const { id: lost } = await second.respond(ask);
    const request = await upstream.received(1);
    await second.stop();
    await request.closed;
    assert.doesNotMatch(second.log(), /response_trouble/);

    await using third = await startResponsesGateway(upstream.url, { dataDir });
    assert.equal((await ended(third, made)).status, "completed");
    const failed = await ended(third, lost);
    assert.equal(failed.status, "failed");
    assert.match(String((failed.error as JsonObject).message), /gateway was stopped/);
    assert.equal((await third.balance()).held, 0n);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
