import assert from "node:assert/strict";
import { nested } from "../support/nested_tokens.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, rawSseReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import type { TestGateway } from "../support/gateway.ts";
import { startTestGateway } from "../support/gateway.ts";
import { ask, lastCall, payingGateway } from "../support/settled_calls.ts";

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** Reads the beginning of a stream and leaves; `left` is told before the rest is waited for. */
async function leaveEarly(
  gateway: Awaited<ReturnType<typeof payingGateway>>,
  body: object,
  left = () => {},
): Promise<void> {
  const abort = new AbortController();
  const response = await gateway.chat(body, { key: gateway.payer, signal: abort.signal });
  const reader = response.body!.getReader();
  await reader.read();
  abort.abort();
  left();
  await assert.rejects(reader.read());
}

/** Resolves when every call has ended and is on disk. */
async function quiet(gateway: TestGateway): Promise<void> {
  while (gateway.running.openCalls() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await gateway.admin.commits.flush();
}

Deno.test("an answer states exact amounts, and the balance follows them to the last unit", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(answerBody("Hi", { prompt_tokens: 1003, completion_tokens: 7, total_tokens: 1010 })),
  );
  await using gateway = await payingGateway(upstream.url);
  const response = await gateway.chat(ask, { key: gateway.payer });
  const body = await response.json();
  // 1003 x 1 + 7 x 2 per million; sale 1003 x 2 + 7 x 4.
  assert.deepEqual(body.pricing, {
    currency: "USD",
    cost_amount: "0.00101700",
    sale_amount: "0.00203400",
  });
  assert.equal(body.usage.prompt_tokens, 1003);
  const { avail, held } = gateway.admin.ledger.balanceOf("paying");
  assert.deepEqual({ avail, held }, { avail: 10_00000000n - 203400n, held: 0n });
  const [stored] = await gateway.admin.storage.accounts.loadBalances().then((all) =>
    all.filter(({ projectId }) => projectId === "paying")
  );
  assert.deepEqual(stored, { projectId: "paying", avail, held });

  const shown = await fetch(
    `${gateway.url}/v1/calls/${response.headers.get("x-request-id")}`,
    { headers: { authorization: `Bearer ${gateway.payer}` } },
  );
  const call = await shown.json();
  assert.equal(call.pricing.charged_amount, "0.00203400");
  assert.equal(call.usage_source, "reported");
  assert.equal(call.state, "settled");
  const foreign = await gateway.key("default");
  const hidden = await fetch(
    `${gateway.url}/v1/calls/${response.headers.get("x-request-id")}`,
    { headers: { authorization: `Bearer ${foreign}` } },
  );
  assert.equal(hidden.status, 404);
});

Deno.test("a stream hides the usage chunk unless it was asked for, and names its price either way", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([
      chunk({ role: "assistant", content: "Hi" }),
      finishChunk(),
      usageChunk(100, 50),
      "[DONE]",
    ]),
  );
  await using gateway = await payingGateway(upstream.url);
  const plain = await (await gateway.chat({ ...ask, stream: true }, { key: gateway.payer })).text();
  assert.equal(upstream.requests[0]!.json().stream_options instanceof Object, true);
  assert.doesNotMatch(plain.replaceAll(/^:.*$/gm, ""), /usage|"choices":\[\]/);
  assert.match(plain, /: tollgate \{"provider":"a","route":"a\/m".*"sale_amount":"0.00040000"/);

  const asked = await (await gateway.chat(
    { ...ask, stream: true, stream_options: { include_usage: true } },
    { key: gateway.payer },
  )).text();
  const chunks = asked.split("\n\n").filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice(6)));
  const last = chunks.at(-1);
  assert.deepEqual(last.choices, []);
  assert.equal(last.usage.total_tokens, 150);
  assert.equal(last.provider, "a");
  assert.equal(last.pricing.sale_amount, "0.00040000");
  assert.equal(chunks.slice(0, -1).every(({ usage }) => usage === null), true);
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  assert.equal(chunks.every(({ model }) => model === "m"), true);
});

Deno.test("a caller that leaves after output pays for the prompt and what was delivered", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([data(chunk({ role: "assistant", content: "One two three" })), "stall!"]),
  );
  await using gateway = await payingGateway(upstream.url);
  await leaveEarly(gateway, { ...ask, stream: true });
  await upstream.requests[0]!.closed;
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.result, "client_aborted");
  assert.equal(call.state, "settled");
  assert.equal(call.usageSource, "estimated");
  assert.equal(nested(call.work).completionTokens > 0, true);
  assert.equal(call.chargedE8, call.saleE8);
  assert.equal(call.chargedE8 > 0n, true);
  assert.equal(gateway.admin.ledger.balanceOf("paying").held, 0n);
});

for (const stream of [true, false]) {
  Deno.test(`a caller that leaves before any output pays nothing (stream: ${stream})`, async () => {
    await using upstream = await startFakeUpstream({ steps: [], before: ["stall!"] });
    await using gateway = await payingGateway(upstream.url);
    const abort = new AbortController();
    const pending = gateway.chat({ ...ask, stream }, { key: gateway.payer, signal: abort.signal });
    const request = await upstream.received(0);
    abort.abort();
    await assert.rejects(pending);
    await request.closed;
    await quiet(gateway);
    const call = await lastCall(gateway);
    assert.equal(call.state, "released");
    assert.equal(call.result, "client_aborted");
    // The upstream was asked all the same: the prompt at least is the operator's loss.
    assert.equal(call.usageSource, "estimated");
    assert.equal(nested(call.work).promptTokens > 0, true);
    assert.equal(call.lossE8, call.saleE8);
    assert.equal(call.lossE8 > 0n, true);
    assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 10_00000000n);
    assert.equal(upstream.requests.length, 1);
  });
}

Deno.test("a caller that leaves after the last token is billed by the counts that follow", async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(
    rawSseReply([
      data(chunk({ role: "assistant", content: "Hi" }, "stop")),
      left,
      data(usageChunk(400, 30)),
      "data: [DONE]\n\n",
    ]),
  );
  await using gateway = await payingGateway(upstream.url);
  await leaveEarly(gateway, { ...ask, stream: true }, leave);
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.usageSource, "reported");
  assert.equal(nested(call.work).promptTokens, 400);
  assert.equal(call.chargedE8, 92000n);
});

for (const leaves of [true, false]) {
  Deno.test(`counts that came with the first words are not all of a long answer (left: ${leaves})`, async () => {
    const words = "word ".repeat(2_000);
    const usage = { prompt_tokens: 400, completion_tokens: 1, total_tokens: 401 };
    await using upstream = await startFakeUpstream(
      rawSseReply([
        data({ ...chunk({ role: "assistant", content: "One" }), usage }),
        data(chunk({ content: words })),
        ...(leaves ? ["stall!" as const] : [data(finishChunk()), "data: [DONE]\n\n"]),
      ]),
    );
    await using gateway = await payingGateway(upstream.url);
    const abort = new AbortController();
    const response = await gateway.chat({ ...ask, stream: true }, {
      key: gateway.payer,
      signal: abort.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = ""; read.length < words.length;) read += (await reader.read()).value;
    abort.abort();
    await quiet(gateway);
    const call = await lastCall(gateway);
    assert.equal(call.usageSource, "estimated");
    assert.equal(nested(call.work).promptTokens, 400);
    assert.equal(nested(call.work).completionTokens >= 2_000, true);
    assert.equal(call.chargedE8, call.saleE8);
  });
}

Deno.test("an upstream that sends no usage is estimated, and says so", async () => {
  const { usage: _usage, ...body } = answerBody("Some words in an answer");
  await using upstream = await startFakeUpstream(jsonReply(body));
  await using gateway = await payingGateway(upstream.url);
  const answer = await (await gateway.chat(ask, { key: gateway.payer })).json();
  assert.equal(answer.usage.completion_tokens > 0, true);
  assert.equal((await lastCall(gateway)).usageSource, "estimated");
});

Deno.test("counts whose price is no amount are estimated; what cannot be priced at all is free", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(
      answerBody("Hi", {
        prompt_tokens: 90_000_000,
        completion_tokens: 90_000_000,
        total_tokens: 180_000_000,
      }),
    ),
  );
  const dear =
    '{ input: "1000000", output: "1000000", image: "1000000" }, sale: { markup: "1000" }';
  const catalogue = twoRoutes(upstream.url, upstream.url).replace(
    '{ input: "1", output: "2" }, sale: { input: "2", output: "4" }',
    dear,
  );
  await using gateway = await startTestGateway({ catalogue });
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  for (const [images, source] of [[0, "estimated"], [11, "none"]] as const) {
    const content = [{ type: "text", text: "Hello" }, ...Array(images).fill(image)];
    const body = await (await gateway.chat({ ...ask, messages: [{ role: "user", content }] }))
      .json();
    const call = await lastCall(gateway);
    assert.equal(call.usageSource, source);
    assert.equal(body.usage.prompt_tokens, nested(call.work).promptTokens);
    // An estimate counts images too; what has no price at all is no usage.
    assert.equal(nested(call.work).promptTokens, source === "none" ? 0 : 1);
    assert.equal(gateway.running.openCalls(), 0);
  }
});

Deno.test("a caller that leaves a token early pays for what only the upstream can count", async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const usage = {
    prompt_tokens: 3_010,
    completion_tokens: 20_002,
    total_tokens: 23_012,
    completion_tokens_details: { reasoning_tokens: 20_000 },
  };
  await using upstream = await startFakeUpstream(
    rawSseReply([
      data(chunk({ role: "assistant", content: "Forty" })),
      left,
      data(chunk({ content: "-two" }, "stop")),
      data({ ...usageChunk(0, 0), usage }),
      "data: [DONE]\n\n",
    ]),
  );
  await using gateway = await payingGateway(upstream.url);
  await leaveEarly(gateway, { ...ask, stream: true }, leave);
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.result, "client_aborted");
  assert.equal(call.usageSource, "reported");
  assert.equal(nested(call.work).reasoningTokens, 20_000);
  assert.equal(call.chargedE8, 3_010n * 200n + 20_002n * 400n);
});

Deno.test("a caller that leaves early pays for images and files by their kind, where nobody counts", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([data(chunk({ role: "assistant", content: "One" })), "stall!"]),
  );
  await using gateway = await payingGateway(upstream.url);
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    { type: "file", file: { file_id: "file_1" } },
  ];
  await leaveEarly(gateway, { ...ask, messages: [{ role: "user", content }], stream: true });
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.usageSource, "estimated");
  assert.equal(
    nested(call.work).promptTokens > 33_000 && nested(call.work).promptTokens < 33_010,
    true,
  );
  assert.equal(call.chargedE8, call.saleE8);
});

Deno.test("a document is no text: a route's context takes it, and a small balance its hold", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  const catalogue = twoRoutes(upstream.url, upstream.url).replace(
    "upstream_model: upstream-a,",
    "upstream_model: upstream-a, supports: { context_tokens: 128000 },",
  );
  await using gateway = await startTestGateway({ catalogue });
  await gateway.credit("paying", "0.3");
  const file_data = `data:application/pdf;base64,${"A".repeat(2_700_000)}`;
  const content = [{ type: "file", file: { file_data, filename: "a.pdf" } }];
  const body = { ...ask, messages: [{ role: "user", content }], max_tokens: 10 };
  const key = await gateway.key("paying");
  const response = await gateway.chat(body, { key });
  assert.equal(response.status, 200);
  await response.body?.cancel();
  // The whole context at 2 per million, and ten tokens of output.
  assert.equal((await lastCall(gateway)).heldE8, 128_000n * 200n + 10n * 400n);
});
