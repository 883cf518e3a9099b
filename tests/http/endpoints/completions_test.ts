/**
 * `POST /v1/completions` over upstreams of both forms.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/other_schemas.json" with { type: "json" };
import {
  jsonReply,
  rawSseReply,
  sseReply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

const path = "/v1/completions";
const ask = { model: "completer", prompt: "def add(a, b):", suffix: "\n", max_tokens: 20 };

const USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

function completion(texts: readonly string[], usage: object | undefined = USAGE) {
  return {
    id: "cmpl-7",
    object: "text_completion",
    created: 1_700_000_000,
    model: "theirs",
    choices: texts.map((text, index) => ({
      text,
      index,
      logprobs: null,
      finish_reason: "stop",
    })),
    usage,
  };
}

const chunk = (text: string, finish_reason: string | null = null, index = 0) => ({
  id: "cmpl-7",
  object: "text_completion",
  created: 1_700_000_000,
  model: "theirs",
  choices: [{ text, index, logprobs: null, finish_reason }],
});

Deno.test("POST completions fills in what is missing, and tells who did and what it cost", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion([" return a + b"])));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { ...ask, user: "me", logprobs: 2 });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assertSatisfies(schemas, "CreateCompletionResponse", body);
  assert.deepEqual([body.model, body.route, body.choices[0].text], [
    "completer",
    "up/completer",
    " return a + b",
  ]);
  assert.equal(body.pricing.sale_amount, "0.00002200");
  const [request] = upstream.requests;
  assert.equal(request!.target, "/v1/completions");
  assert.deepEqual(request!.json(), {
    ...ask,
    model: "their-completer",
    user: "me",
    logprobs: 2,
  });
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.usage_source], ["completions", "reported"]);
});

Deno.test("what nobody limits is limited to what OpenAI's clients expect", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion(["a", "b"])));
  await using gateway = await startMediaGateway(upstream.url);
  await gateway.ask(path, { model: "completer", prompt: ["a", "b"], max_tokens: null });
  await gateway.ask(path, { model: "completer", prompt: [[1, 2], [3]], max_tokens: 0, echo: true });
  assert.deepEqual(upstream.requests.map((request) => request.json().max_tokens), [16, 0]);
  assert.deepEqual(upstream.requests[1]!.json().prompt, [[1, 2], [3]]);
});

Deno.test("an upstream that answers as to a chat is read as well", async () => {
  const choices = [{
    index: 0,
    message: { role: "assistant", content: "x" },
    finish_reason: "stop",
  }];
  await using upstream = await startFakeUpstream([
    jsonReply({ id: "1", object: "chat.completion", choices, usage: USAGE }),
    sseReply([
      { id: "1", choices: [{ index: 0, delta: { role: "assistant", content: "x" } }] },
      { id: "1", choices: [{ index: 0, delta: { content: "y" }, finish_reason: "stop" }] },
      { id: "1", choices: [], usage: USAGE },
      "[DONE]",
    ]),
  ]);
  await using gateway = await startMediaGateway(upstream.url);
  const whole = await gateway.ask(path, ask);
  assertSatisfies(schemas, "CreateCompletionResponse", whole);
  assert.equal(whole.choices[0].text, "x");
  const text = await (await gateway.post(path, { ...ask, stream: true })).text();
  const events = text.matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data!)).toArray();
  assert.deepEqual(events.map(({ choices }) => choices[0].text), ["x", "y"]);
  assert.equal(events[1].choices[0].finish_reason, "stop");
});

Deno.test("a stream has chunks of one form, its counts and price at its end", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([
      { ...chunk("a"), id: "", created: 0 },
      chunk("b", "stop"),
      { ...chunk(""), choices: [], usage: USAGE },
      "[DONE]",
    ]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, {
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  });
  assert.equal(response.headers.get("x-tollgate-route"), "up/completer");
  const text = await response.text();
  const chunks = text.matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data!)).toArray();
  assert.equal(chunks.length, 3);
  for (const one of chunks) {
    assert.deepEqual([one.object, one.model, one.id], ["text_completion", "completer", one.id]);
    assert.ok(one.created > 0 && one.id !== "");
  }
  assert.equal(chunks[2].usage.total_tokens, 8);
  assert.equal(chunks[2].pricing.sale_amount, "0.00002200");
  assert.ok(text.endsWith("data: [DONE]\n\n"));
  assert.deepEqual(upstream.requests[0]!.json().stream_options, { include_usage: true });
});

Deno.test("who leaves a stream has its upstream closed at once, and pays what was delivered", async () => {
  const gone = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(
    rawSseReply([`data: ${JSON.stringify(chunk("some words"))}\n\n`, gone.promise, "stall!"]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const leaving = new AbortController();
  const response = await gateway.post(path, { ...ask, stream: true }, { signal: leaving.signal });
  const reader = response.body!.getReader();
  await reader.read();
  leaving.abort();
  // Nothing has come from the upstream since, which would be waited for where counts are read on.
  await upstream.requests[0]!.closed;
  gone.resolve();
  const call = await gateway.callOf(response);
  assert.deepEqual([call.result, call.state, call.usage_source], [
    "client_aborted",
    "settled",
    "estimated",
  ]);
  assert.equal(call.usage!.completion_tokens, 2);
  assert.ok(Number(call.pricing!.charged_amount) > 0);
});

Deno.test("only routes that say so complete texts, and one that says so need not chat", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion(["a"])));
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [target, body] of [
      [path, { ...ask, model: "chatter" }],
      ["/v1/chat/completions", { model: "completer", messages: [{ role: "user", content: "a" }] }],
    ] as const
  ) {
    const response = await gateway.post(target, body);
    const { error } = await response.json();
    assert.equal(response.status, 404);
    assert.equal(error.routes[0].reason, "endpoint_not_supported");
  }
  assert.equal(upstream.requests.length, 0);
});

Deno.test("every choice that is paid for is held for", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion(["a"])));
  await using gateway = await startMediaGateway(upstream.url);
  // 2 prompts of 100 choices of 100,000 tokens at 4 per million: 80, of a balance of 10.
  const fields = { model: "completer", prompt: ["a", "b"], max_tokens: 100_000 };
  assert.equal((await gateway.post(path, { ...fields, best_of: 100 })).status, 402);
  assert.equal((await gateway.post(path, { ...fields, n: 100 })).status, 402);
  assert.equal((await gateway.post(path, { ...fields, n: 1 })).status, 200);
  assert.equal(upstream.requests.length, 1);
});

Deno.test("a stream that is cut at any byte ends with an error, and is free", async () => {
  const whole = [chunk("a"), chunk("b", "stop")].map((one) => `data: ${JSON.stringify(one)}\n\n`)
    .join("") + "data: [DONE]\n\n";
  const end = whole.indexOf("}]}\n\ndata: [DONE]");
  await using upstream = await startFakeUpstream((_, index) => {
    const at = Math.min(index * 7 + 1, end);
    return rawSseReply([whole.slice(0, at), "cut!"]);
  });
  await using gateway = await startMediaGateway(upstream.url);
  const before = gateway.spendable();
  for (let index = 0; index * 7 < end; index += 3) {
    const response = await gateway.post(path, { ...ask, stream: true, route: "up/completer" });
    const text = await response.text();
    assert.ok(!text.includes("[DONE]"), text);
    assert.ok(text.includes('"error"'), text);
  }
  assert.equal(gateway.spendable(), before);
});

Deno.test("what is no completion is no answer", async () => {
  for (
    const answer of [
      {},
      { choices: [] },
      { choices: [1] },
      { choices: [{ text: 5 }] },
      { choices: "text" },
      { error: "no" },
    ]
  ) {
    await using upstream = await startFakeUpstream(jsonReply(answer));
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, ask);
    assert.equal(response.status, 503, JSON.stringify(answer));
    await response.body?.cancel();
  }
});
