import assert from "node:assert/strict";
import { nested } from "../../support/nested_tokens.ts";
import {
  jsonReply,
  rawSseReply,
  startFakeUpstream,
  textReply,
} from "../../support/fake_upstream.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  chatCall,
  chatRoute,
  completion,
  failureOf,
  never,
  openAiCompatible,
  readAll,
  TEST_KEY,
  textChunk,
  timeouts,
} from "../../support/provider_parts.ts";

Deno.test("chat() calls the upstream and passes its answer on with unknown fields", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(completion({ service_tier: "default", x_vendor: { a: [1] } })),
  );
  const answer = await openAiCompatible(upstream.url).speaks.openai_chat.answer(
    chatCall({ vendor: 1 }),
    never(),
  );
  assert.equal(answer.body.service_tier, "default");
  assert.deepEqual(answer.body.x_vendor, { a: [1] });
  assert.equal(nested(answer.usage)?.promptTokens, 5);
  assert.equal(answer.text(), "Hi");

  const [request] = upstream.requests;
  assert.equal(request!.method, "POST");
  assert.equal(request!.target, "/v1/chat/completions");
  assert.equal(request!.headers.get("authorization"), `Bearer ${TEST_KEY}`);
  assert.equal(request!.headers.get("content-type"), "application/json");
  assert.deepEqual(request!.json(), {
    model: "upstream-model",
    messages: [{ role: "user", content: "Hello" }],
    vendor: 1,
  });
});

Deno.test("chat() completes an answer that lacks required keys", async () => {
  await using upstream = await startFakeUpstream(jsonReply({
    id: "",
    choices: [
      { message: { role: "model", content: "Hi" } },
      { message: { content: null, tool_calls: [] }, finish_reason: "length", usage: {} },
      { message: { tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] } },
    ],
  }));
  const clock = new FakeClock();
  const { body, usage } = await openAiCompatible(upstream.url, { clock }).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  assert.match(body.id as string, /^chatcmpl-\w{24}$/);
  const choices = body.choices as { message: { tool_calls?: { id: string }[] } }[];
  const callId = choices[2]!.message.tool_calls![0]!.id;
  assert.match(callId, /^call_\w{24}$/);
  assert.deepEqual({ ...body, id: "" }, {
    id: "",
    object: "chat.completion",
    created: Math.floor(clock.now() / 1000),
    model: "upstream-model",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hi", refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
      {
        index: 1,
        message: { role: "assistant", content: null, refusal: null },
        finish_reason: "length",
        logprobs: null,
      },
      {
        index: 2,
        message: {
          role: "assistant",
          content: null,
          refusal: null,
          tool_calls: [
            { id: callId, type: "function", function: { name: "f", arguments: '{"a":1}' } },
          ],
        },
        finish_reason: "tool_calls",
        logprobs: null,
      },
    ],
  });
  assert.equal(usage, undefined);
});

Deno.test("chat() joins Mistral's content parts and keeps thinking apart", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion({
    choices: [{
      index: 0,
      finish_reason: "stop",
      message: {
        role: "assistant",
        tool_calls: null,
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hmm" }] },
          { type: "text", text: "Hello" },
          { type: "text", text: " you" },
        ],
      },
    }],
  })));
  const answer = await openAiCompatible(upstream.url).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  const [choice] = answer.body.choices as { message: Record<string, unknown> }[];
  assert.deepEqual(choice!.message, {
    role: "assistant",
    content: "Hello you",
    reasoning_content: "Hmm",
    refusal: null,
  });
  assert.equal(answer.text(), "HmmHello you");
});

Deno.test("chat() gives usage in OpenAI's meaning, and none where it is absurd", async () => {
  const answer = (usage: object) => jsonReply(completion({ usage }));
  await using upstream = await startFakeUpstream([
    answer({
      prompt_tokens: 307,
      completion_tokens: 26,
      total_tokens: 560,
      completion_tokens_details: { reasoning_tokens: 227 },
    }),
    answer({ prompt_tokens: -3, completion_tokens: 1 }),
    answer({ prompt_tokens: 5_000, completion_tokens: 1 }),
  ]);
  const provider = openAiCompatible(upstream.url);
  const first = await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.equal(nested(first.usage)?.completionTokens, 253);
  assert.equal((first.body.usage as { completion_tokens: number }).completion_tokens, 253);
  const second = await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.equal(second.usage, undefined);
  assert.ok(!("usage" in second.body));
  const route = chatRoute({ supports: { contextTokens: 4_096 } });
  const third = await provider.speaks.openai_chat.answer(chatCall({}, { route }), never());
  assert.equal(third.usage, undefined);
});

Deno.test("chat() never passes an error key on, not even null", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion({ error: null })));
  const { body } = await openAiCompatible(upstream.url).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  assert.ok(!("error" in body));
});

Deno.test("keys are used in turn", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const provider = openAiCompatible(upstream.url, {
    settings: { apiKeys: ["env:A", "env:MISSING", "file:/b"] },
    secrets: (reference) => ({ "env:A": "key-a-12345", "file:/b": "key-b-12345\n" })[reference],
  });
  for (let call = 0; call < 4; call++) {
    await provider.speaks.openai_chat.answer(chatCall(), never());
  }
  assert.deepEqual(upstream.requests.map((request) => request.headers.get("authorization")), [
    "Bearer key-a-12345",
    "Bearer key-b-12345",
    "Bearer key-a-12345",
    "Bearer key-b-12345",
  ]);
});

Deno.test("a rotated key is taken up without a restart", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const clock = new FakeClock();
  let key = "key-old-12345";
  const provider = openAiCompatible(upstream.url, { secrets: () => key, clock });
  await provider.speaks.openai_chat.answer(chatCall(), never());
  key = "key-new-12345";
  clock.advance(30_000);
  await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.deepEqual(upstream.requests.map((request) => request.headers.get("authorization")), [
    "Bearer key-old-12345",
    "Bearer key-new-12345",
  ]);
});

Deno.test("a missing key is the operator's fault, named by its reference, and calls nobody", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const provider = openAiCompatible(upstream.url, { secrets: () => undefined });
  const error = await failureOf(provider.speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(error.failure, "operator");
  assert.match(error.message, /provider 'acme'.*env:ACME_KEY/);
  assert.equal(upstream.requests.length, 0);
});

Deno.test("an Azure-like upstream works by headers and query", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const provider = openAiCompatible(`${upstream.url}/deployments/gpt`, {
    settings: {
      auth: { kind: "header", name: "Api-Key" },
      query: { "api-version": "2025-04-01 preview", "token": "env:QUERY" },
      headers: { "X-Team": "search", "x-secret": "env:HEADER" },
    },
    secrets: (reference) => `value-of-${reference.slice(4)}`,
  });
  await provider.speaks.openai_chat.answer(chatCall(), never());
  const [request] = upstream.requests;
  assert.equal(
    request!.target,
    "/v1/deployments/gpt/chat/completions?api-version=2025-04-01+preview&token=value-of-QUERY",
  );
  assert.equal(request!.headers.get("api-key"), "value-of-ACME_KEY");
  assert.equal(request!.headers.get("x-team"), "search");
  assert.equal(request!.headers.get("x-secret"), "value-of-HEADER");
  assert.ok(!request!.headers.has("authorization"));
});

Deno.test("a keyless upstream gets no authorization", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const none = { auth: { kind: "none" }, apiKeys: [] } as const;
  await openAiCompatible(upstream.url, { settings: none }).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  await openAiCompatible(upstream.url, { settings: { apiKeys: [] } }).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  for (const request of upstream.requests) assert.ok(!request.headers.has("authorization"));
  assert.equal(upstream.requests.length, 2);
});

Deno.test("nothing of the caller's body reaches URL or headers", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const canary = "canary-7f3a";
  const body = {
    base_url: `http://${canary}/`,
    api_base: canary,
    api_key: canary,
    headers: { "x-canary": canary },
    extra_headers: { authorization: canary },
    extra_query: { canary },
    organization: canary,
    user: `${canary}\r\nx-canary: 1`,
    metadata: { url: `../${canary}?a#b` },
    litellm_params: { api_base: canary },
    model: `${canary}/../../x`,
  };
  await openAiCompatible(`${upstream.url}/`).speaks.openai_chat.answer(chatCall(body), never());
  const [request] = upstream.requests;
  assert.ok(!request!.head.includes(canary));
  assert.equal(request!.target, "/v1/chat/completions");
});

Deno.test("an error's Retry-After and code arrive", async () => {
  await using upstream = await startFakeUpstream(jsonReply(
    { error: { message: "Slow down", code: "rate_limit_exceeded" } },
    { status: 429, headers: { "retry-after": "17" } },
  ));
  const provider = openAiCompatible(upstream.url);
  for (
    const call of [
      provider.speaks.openai_chat.answer(chatCall(), never()),
      provider.speaks.openai_chat.stream(chatCall(), never()),
    ]
  ) {
    const error = await failureOf(call);
    assert.equal(error.failure, "busy");
    assert.equal(error.status, 429);
    assert.equal(error.code, "rate_limit_exceeded");
    assert.equal(error.retryAfterSeconds, 17);
  }
});

Deno.test("an upstream that cannot be reached is broken", async () => {
  const upstream = await startFakeUpstream(jsonReply(completion()));
  await upstream.stop();
  const error = await failureOf(
    openAiCompatible(upstream.url).speaks.openai_chat.answer(chatCall(), never()),
  );
  assert.equal(error.failure, "broken");
  assert.equal(error.status, undefined);
});

Deno.test("an abort closes the upstream's connection, before and within the answer", async () => {
  await using upstream = await startFakeUpstream([
    { steps: ["stall!"], framing: "raw" },
    { headers: { "content-type": "application/json" }, steps: ['{"id":', "stall!"] },
  ]);
  const provider = openAiCompatible(upstream.url);
  for (const index of [0, 1]) {
    const controller = new AbortController();
    const failed = failureOf(provider.speaks.openai_chat.answer(chatCall(), controller.signal));
    const request = await upstream.received(index);
    assert.ok(!request.isClosed);
    controller.abort();
    assert.equal((await failed).failure, "aborted");
    await request.closed;
  }
});

Deno.test("a call whose signal is aborted already calls nobody", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion()));
  const error = await failureOf(
    openAiCompatible(upstream.url).speaks.openai_chat.answer(chatCall(), AbortSignal.abort()),
  );
  assert.equal(error.failure, "aborted");
  assert.equal(upstream.requests.length, 0);
});

Deno.test("a plain call ends at the total limit, not at the first-byte one", async () => {
  await using upstream = await startFakeUpstream([
    { before: [{ pauseMs: 60 }], ...jsonReply(completion()) },
    { steps: ["stall!"], framing: "raw" },
  ]);
  const provider = openAiCompatible(upstream.url, {
    settings: { timeouts: timeouts({ firstByteMs: 5, idleMs: 5, totalMs: 400 }) },
  });
  await provider.speaks.openai_chat.answer(chatCall(), never());
  const error = await failureOf(provider.speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(error.failure, "broken");
  assert.match(error.message, /did not complete within 400 ms/);
  await upstream.requests[1]!.closed;
});

Deno.test("check() asks for the model list and nothing else", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply({ object: "list", data: [{ id: "a" }, { id: "b" }] }),
    jsonReply({ error: { message: `Bad key ${TEST_KEY}` } }, { status: 401 }),
    // Asked whether it takes the key in another form.
    ...Array(3).fill(jsonReply({ error: { message: "No key" } }, { status: 401 })),
    jsonReply({}, { status: 404 }),
    textReply("text/html", "<html>"),
    jsonReply({ ok: true }),
    jsonReply({ code: 20_000, message: "Ok", data: [{ id: "a" }] }),
  ]);
  const provider = openAiCompatible(upstream.url);
  const ok = await provider.check(never());
  assert.deepEqual([ok.ok, ok.checked, ok.detail], [true, true, "2 models"]);
  const refused = await provider.check(never());
  assert.equal(refused.ok, false);
  assert.equal(refused.detail, "key env:ACME_KEY: The upstream answered 401: Bad key [redacted]");
  const unlisted = await provider.check(never());
  assert.deepEqual([unlisted.ok, unlisted.checked], [true, false]);
  assert.match(unlisted.detail, /404 for GET \/models.*base_url and key were not checked/);
  assert.equal((await provider.check(never())).ok, false);
  const other = await provider.check(never());
  assert.deepEqual([other.ok, other.checked], [true, false]);
  const wordy = await provider.check(never());
  assert.deepEqual([wordy.ok, wordy.checked, wordy.detail], [true, true, "1 model"]);
  for (const request of upstream.requests) {
    assert.equal(`${request.method} ${request.target}`, "GET /v1/models");
  }
});

Deno.test("check() tells why an upstream could not be reached", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${closed.addr.port}/v1`;
  closed.close();
  const { ok, checked, detail } = await openAiCompatible(url).check(never());
  assert.deepEqual([ok, checked], [false, false]);
  assert.match(detail, /^The upstream could not be reached: .*refused/i);
});

Deno.test("a provider without a usable base URL cannot be made", () => {
  for (const url of ["", "ftp://x/v1", "nonsense", "file:///etc"]) {
    assert.throws(() => openAiCompatible(url), { name: "TypeError", message: /'acme'.*base_url/ });
  }
});

Deno.test("a stream asks for an event stream and for usage", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([`data: ${JSON.stringify(textChunk("Hi", "stop"))}\n\ndata: [DONE]\n\n`]),
  );
  await readAll(
    await openAiCompatible(upstream.url).speaks.openai_chat.stream(chatCall(), never()),
  );
  const [request] = upstream.requests;
  assert.equal(request!.headers.get("accept"), "text/event-stream");
  assert.deepEqual(request!.json().stream_options, { include_usage: true });
  assert.equal(request!.json().stream, true);
});
