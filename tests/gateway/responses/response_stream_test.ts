/**
 * Streams of the Responses API, from the upstream to the caller and the books.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import {
  rawSseReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import {
  beginEvents,
  completedEvent,
  messageEvents,
  numbered,
} from "../../support/response_bodies.ts";
import { assertWholeStream } from "../../support/response_stream_check.ts";
import {
  eventsOf,
  keptResponses,
  type ResponsesGateway,
  startResponsesGateway,
} from "../../support/responses_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import { lastCall } from "../../support/settled_calls.ts";

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 150,
};
const beginning = chunk({ role: "assistant", content: "Hel" });

/** The same answer of an upstream with chat and of one with the Responses API. */
const REPLIES: { readonly [model: string]: Reply } = {
  m: sseReply([
    beginning,
    chunk({ content: "lo" }),
    finishChunk(),
    usageChunk(100, 50),
    "[DONE]",
  ]),
  native: sseReply(
    numbered([...beginEvents(), ...messageEvents(["Hel", "lo"]), completedEvent({ usage })]),
  ),
};

/** Streams that begin with a text and break. */
const BROKEN: { readonly [model: string]: readonly Reply[] } = {
  m: [
    rawSseReply([`data: ${JSON.stringify(beginning)}\n\n`, "cut!"]),
    sseReply([beginning, { error: { message: "internal: gpu-7 is lost", code: 500 } }]),
  ],
  native: [
    sseReply([...beginEvents(), ...messageEvents(["Hel"]).slice(0, 3), "cut!"]),
    sseReply([...beginEvents(), ...messageEvents(["Hel"]).slice(0, 3), {
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: "gpu-7 is lost" } },
    }]),
    sseReply([...beginEvents(), ...messageEvents(["Hel"]).slice(0, 3), {
      type: "error",
      code: "server_error",
      message: "gpu-7 is lost",
      param: null,
    }]),
  ],
};

const unnumbered = (events: readonly JsonObject[]) =>
  events.map(({ sequence_number: _number, ...event }) => event);

async function stream(
  gateway: ResponsesGateway,
  fields: JsonObject,
): Promise<{ readonly text: string; readonly events: JsonObject[]; readonly headers: Headers }> {
  const response = await gateway.send("POST", "/responses", {
    body: { input: "Hello", stream: true, ...fields },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  return { text, events: eventsOf(text), headers: response.headers };
}

for (const model of ["m", "native"]) {
  Deno.test(`a stream is numbered, has one id and ends with usage and price (${model})`, async () => {
    await using upstream = await startFakeUpstream(REPLIES[model]!);
    await using gateway = await startResponsesGateway(upstream.url);
    const { text, events, headers } = await stream(gateway, { model });
    assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, at) => at));
    const output = assertWholeStream(unnumbered(events));
    assert.match(JSON.stringify(output), /"text":"Hello"/);
    const responses = events.flatMap(({ response }) =>
      response === undefined ? [] : [response as JsonObject]
    );
    assert.equal(responses.length, 3);
    assert.match(String(responses[0]!.id), /^resp_[a-z2-7]{40}$/);
    for (const response of responses) {
      const { id, model: name, created_at, store, background, previous_response_id } = response;
      assert.deepEqual(
        { id, name, created_at, store, background, previous_response_id },
        {
          id: responses[0]!.id,
          name: model,
          created_at: responses[0]!.created_at,
          store: true,
          background: false,
          previous_response_id: null,
        },
      );
    }
    const last = responses.at(-1)!;
    assert.deepEqual(last.usage, usage);
    assert.deepEqual(last.pricing, {
      currency: "USD",
      cost_amount: "0.00020000",
      sale_amount: "0.00040000",
    });
    assert.deepEqual([last.provider, last.route], ["remote", `remote/${model}`]);
    assert.deepEqual(
      [headers.get("x-tollgate-provider"), headers.get("x-tollgate-route")],
      ["remote", `remote/${model}`],
    );
    for (const response of responses.slice(0, -1)) assert.equal("pricing" in response, false);
    assert.doesNotMatch(text, /upstream-|resp_1"|\[DONE\]/);

    // It was kept with the end of the call, before its last event was sent.
    const kept = await gateway.api("GET", `/responses/${last.id}`);
    assert.deepEqual(kept.body, last);
    assert.deepEqual(await gateway.balance(), { avail: 10_00000000n - 40_000n, held: 0n });
  });

  Deno.test(`a stream with store: false is the same and keeps nothing (${model})`, async () => {
    await using upstream = await startFakeUpstream(REPLIES[model]!);
    await using gateway = await startResponsesGateway(upstream.url);
    const { events } = await stream(gateway, { model, store: false });
    assertWholeStream(unnumbered(events));
    const { id, store } = events.at(-1)!.response as JsonObject;
    assert.equal(store, false);
    assert.equal((await gateway.api("GET", `/responses/${id}`)).status, 404);
    assert.deepEqual(await keptResponses(gateway), []);
  });

  for (const [index, reply] of BROKEN[model]!.entries()) {
    Deno.test(`a stream that breaks after output says so twice, free of charge (${model}, ${index})`, async () => {
      await using upstream = await startFakeUpstream(reply);
      await using gateway = await startResponsesGateway(upstream.url);
      const { text, events } = await stream(gateway, { model });
      assert.match(text, /"delta":"Hel"/);
      assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, at) => at));
      const [failed, error] = events.slice(-2) as [JsonObject, JsonObject];
      assert.deepEqual([failed.type, error.type], ["response.failed", "error"]);
      assertSatisfies(schemas, "ResponseStreamEvent", failed);
      assertSatisfies(schemas, "ResponseStreamEvent", error);
      const response = failed.response as JsonObject;
      const { message } = response.error as JsonObject;
      assert.equal(response.status, "failed");
      assert.deepEqual(response.error, { code: "server_error", message, type: "server_error" });
      assert.equal(response.id, (events[0]!.response as JsonObject).id);
      const { sequence_number: _number, ...told } = error;
      const flat = { code: "upstream_error", message, param: null };
      assert.deepEqual(told, { type: "error", ...flat, error: { type: "server_error", ...flat } });
      assert.match(String(message), /not charged/);
      assert.doesNotMatch(text, /gpu-7|response\.completed|pricing/);

      assert.equal((await gateway.api("GET", `/responses/${response.id}`)).status, 404);
      assert.deepEqual(await keptResponses(gateway), []);
      assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
      const call = await lastCall(gateway);
      assert.deepEqual([call.result, call.chargedE8], ["upstream_failed", 0n]);
    });
  }
}

Deno.test("before any output another route serves, and the caller sees one stream", async () => {
  const begun = chunk({ role: "assistant", content: "" });
  await using upstream = await startFakeUpstream((request) =>
    request.json().model === "first"
      ? rawSseReply([`data: ${JSON.stringify(begun)}\n\n`, "cut!"])
      : REPLIES.m!
  );
  await using gateway = await startResponsesGateway(upstream.url);
  for (let turn = 0; turn < 4; turn++) {
    const { events } = await stream(gateway, { model: "both" });
    assertWholeStream(unnumbered(events));
    assert.equal(events.filter(({ type }) => type === "response.created").length, 1);
    assert.equal((events.at(-1)!.response as JsonObject).route, "remote/second");
  }
  assert.equal((await keptResponses(gateway)).length, 4);
});

Deno.test("a stream that nobody can serve is an ordinary error, and nothing is kept", async () => {
  await using upstream = await startFakeUpstream(rawSseReply(["cut!"]));
  await using gateway = await startResponsesGateway(upstream.url);
  for (const model of ["m", "native"]) {
    const { status, body } = await gateway.api("POST", "/responses", {
      body: { model, input: "Hello", stream: true },
    });
    assert.deepEqual([status, body.error.code], [503, "PROVIDER_TEMPORARILY_UNAVAILABLE"]);
  }
  assert.deepEqual(await keptResponses(gateway), []);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});

Deno.test("a caller that leaves in mid-stream pays for what it got, and nothing is kept", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([`data: ${JSON.stringify(beginning)}\n\n`, "stall!"]),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const abort = new AbortController();
  const response = await gateway.send("POST", "/responses", {
    body: { model: "m", input: "Hello", stream: true },
    signal: abort.signal,
  });
  await response.body!.getReader().read();
  abort.abort();
  await upstream.requests[0]!.closed;
  await gateway.quiet();
  const call = await lastCall(gateway);
  assert.deepEqual([call.result, call.state, call.usageSource], [
    "client_aborted",
    "settled",
    "estimated",
  ]);
  assert.deepEqual(await keptResponses(gateway), []);
  assert.equal((await gateway.balance()).held, 0n);
});

Deno.test("a gateway that stops ends a stream with the events of a failure", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([`data: ${JSON.stringify(beginning)}\n\n`, "stall!"]),
  );
  await using gateway = await startResponsesGateway(upstream.url, { drainTimeoutMs: 1 });
  const response = await gateway.send("POST", "/responses", {
    body: { model: "m", input: "Hello", stream: true },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let stopped: Promise<void> | undefined;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    if (text.includes(`"delta":"Hel"`)) stopped ??= gateway.stop();
  }
  await stopped;
  const [failed, error] = eventsOf(text).slice(-2) as [JsonObject, JsonObject];
  assert.deepEqual([failed.type, error.type, error.code], [
    "response.failed",
    "error",
    "shutting_down",
  ]);
  assert.doesNotMatch(text, /response\.completed/);
});
