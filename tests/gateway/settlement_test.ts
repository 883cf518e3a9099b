import assert from "node:assert/strict";
import type { ClosedCall } from "../../src/domain/call.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, rawSseReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import type { TestGateway } from "../support/gateway.ts";
import { startTestGateway } from "../support/gateway.ts";

const ask = { model: "m", messages: [{ role: "user", content: "Hello there" }], route: "a/m" };
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

async function lastCall(gateway: TestGateway): Promise<ClosedCall> {
  const { calls } = gateway.admin.storage;
  const call = await calls.find(await calls.lastCallId());
  assert.notEqual(call?.state, "open");
  return call as ClosedCall;
}

/** Resolves when every call has ended and is on disk. */
async function quiet(gateway: TestGateway): Promise<void> {
  while (gateway.running.openCalls() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await gateway.admin.commits.flush();
}

async function payingGateway(url: string, credit = "10"): Promise<TestGateway & { payer: string }> {
  const gateway = await startTestGateway({ catalogue: twoRoutes(url, url) });
  await gateway.credit("paying", credit);
  return Object.assign(gateway, { payer: await gateway.key("paying") });
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
  const abort = new AbortController();
  const response = await gateway.chat({ ...ask, stream: true }, {
    key: gateway.payer,
    signal: abort.signal,
  });
  const reader = response.body!.getReader();
  await reader.read();
  abort.abort();
  await assert.rejects(reader.read());
  await upstream.requests[0]!.closed;
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.result, "client_aborted");
  assert.equal(call.state, "settled");
  assert.equal(call.usageSource, "estimated");
  assert.equal(call.usage.completionTokens > 0, true);
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
    assert.equal(call.lossE8, 0n);
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
  const abort = new AbortController();
  const response = await gateway.chat({ ...ask, stream: true }, {
    key: gateway.payer,
    signal: abort.signal,
  });
  const reader = response.body!.getReader();
  await reader.read();
  abort.abort();
  leave();
  await assert.rejects(reader.read());
  await quiet(gateway);
  const call = await lastCall(gateway);
  assert.equal(call.usageSource, "reported");
  assert.equal(call.usage.promptTokens, 400);
  assert.equal(call.chargedE8, 92000n);
});

Deno.test("an upstream that sends no usage is estimated, and says so", async () => {
  const { usage: _usage, ...body } = answerBody("Some words in an answer");
  await using upstream = await startFakeUpstream(jsonReply(body));
  await using gateway = await payingGateway(upstream.url);
  const answer = await (await gateway.chat(ask, { key: gateway.payer })).json();
  assert.equal(answer.usage.completion_tokens > 0, true);
  assert.equal((await lastCall(gateway)).usageSource, "estimated");
});

Deno.test("what goes beyond the hold is the operator's loss, never a negative balance", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(answerBody("Hi", { prompt_tokens: 10, completion_tokens: 5000, total_tokens: 5010 })),
  );
  await using gateway = await payingGateway(upstream.url, "0.001");
  const response = await gateway.chat({ ...ask, max_tokens: 10 }, { key: gateway.payer });
  assert.equal(response.status, 200);
  const call = await lastCall(gateway);
  assert.equal(call.chargedE8, call.heldE8);
  assert.equal(call.lossE8, call.saleE8 - call.heldE8);
  const { avail } = gateway.admin.ledger.balanceOf("paying");
  assert.equal(avail >= 0n, true);
  assert.equal(avail, 100000n - call.chargedE8);
});

Deno.test("a balance that does not cover the worst case is refused before anyone is asked", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await payingGateway(upstream.url, "0.00001");
  const response = await gateway.chat(ask, { key: gateway.payer });
  const { error } = await response.json();
  assert.equal(response.status, 402);
  assert.equal(error.code, "INSUFFICIENT_BALANCE");
  assert.equal(error.type, "insufficient_quota");
  assert.equal(response.headers.get("x-should-retry"), "false");
  assert.equal(upstream.requests.length, 0);
});

Deno.test("a balance that is too low is said so although another route is cooling down", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}, { status: 401 }));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  assert.equal((await gateway.chat(ask)).status, 503);
  const key = await gateway.key("paying");
  const response = await gateway.chat({ ...ask, route: undefined }, { key });
  const { error } = await response.json();
  assert.equal(response.status, 402);
  assert.equal(error.code, "INSUFFICIENT_BALANCE");
  const reasons = error.routes.map(({ route, reason }: Record<string, string>) => [route, reason]);
  assert.deepEqual(reasons, [["b/m", "balance_too_low"], ["a/m", "cooling_down"]]);
});

Deno.test("a call that the balance refuses takes nothing of the limits", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  const catalogue = twoRoutes(upstream.url, upstream.url).replace(
    "{ id: paying, unlimited: false }",
    "{ id: paying, unlimited: false, limits: { requests_per_minute: 1, tokens_per_minute: 1000 } }",
  );
  await using gateway = await startTestGateway({ catalogue });
  const key = await gateway.key("paying");
  for (let call = 0; call < 3; call++) {
    assert.equal((await gateway.chat(ask, { key })).status, 402);
  }
  await gateway.credit("paying", "10");
  assert.equal((await gateway.chat(ask, { key })).status, 200);
  assert.equal((await gateway.chat(ask, { key })).status, 429);
});

Deno.test("of two output limits the larger is held for, as an upstream may know only that one", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await payingGateway(upstream.url);
  const limits = { max_completion_tokens: 1, max_tokens: 50_000 };
  for (const body of [limits, { max_completion_tokens: 50_000, max_tokens: 1 }]) {
    assert.equal((await gateway.chat({ ...ask, ...body }, { key: gateway.payer })).status, 200);
    const { heldE8 } = await lastCall(gateway);
    assert.equal(heldE8 >= 50_000n * 400n, true);
  }
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
    assert.equal(body.usage.prompt_tokens, call.usage.promptTokens);
    assert.equal(call.usage.promptTokens < 100, true);
    assert.equal(gateway.running.openCalls(), 0);
  }
});

Deno.test("a fallback to a dearer route raises the hold and is priced by that route", async () => {
  await using first = await startFakeUpstream(jsonReply({}, { status: 500 }));
  await using second = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const body = { ...ask, route: undefined, routing_preference: "lowest_price", max_tokens: 100 };
  const answer = await (await gateway.chat(body, { key })).json();
  const call = await lastCall(gateway);
  const dear = gateway.admin.catalogue.current.route("b/m")!;
  assert.equal(answer.route, "b/m");
  assert.equal(call.route, "b/m");
  assert.equal(call.provider, "b");
  assert.equal(call.priceVersion, dear.prices.version);
  assert.equal(call.attempts, 2);
  // 100 tokens of output at 20 x 1.5 per million, and the prompt's bytes.
  assert.equal(call.heldE8 > 300_000n, true);
  // 10 x 10 + 5 x 20 per million, times 1.5.
  assert.equal(call.chargedE8, 30_000n);
  assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 10_00000000n - 30_000n);
});

Deno.test("a fallback that the balance does not cover is left out, with its reason", async () => {
  await using first = await startFakeUpstream(jsonReply({}, { status: 429 }));
  await using second = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  await gateway.credit("paying", "0.001");
  const key = await gateway.key("paying");
  const body = { ...ask, route: undefined, routing_preference: "lowest_price", max_tokens: 100 };
  const response = await gateway.chat(body, { key });
  const { error } = await response.json();
  assert.equal(response.status, 503);
  const reasons = error.routes.map(({ route, reason }: Record<string, string>) => [route, reason]);
  assert.deepEqual(reasons, [["a/m", "attempt_failed"], ["b/m", "balance_too_low"]]);
  assert.equal(second.requests.length, 0);
  const call = await lastCall(gateway);
  assert.equal(call.state, "released");
  assert.equal(call.route, "a/m");
  assert.deepEqual(gateway.admin.ledger.balanceOf("paying"), {
    projectId: "paying",
    avail: 100_000n,
    held: 0n,
  });
});

Deno.test("a restart is no way around a limit", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  const catalogue = twoRoutes(upstream.url, upstream.url).replace(
    "{ id: default, unlimited: true }",
    "{ id: default, unlimited: true, limits: { requests_per_minute: 2 } }",
  );
  try {
    for (const status of [200, 200, 429]) {
      await using gateway = await startTestGateway({ catalogue, dataDir });
      const key = await gateway.key("default");
      assert.equal((await gateway.chat(ask, { key })).status, status);
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("concurrent calls never spend more than there is", async () => {
  await using upstream = await startFakeUpstream(jsonReply(
    answerBody("Hi", { prompt_tokens: 0, completion_tokens: 1000, total_tokens: 1000 }),
  ));
  await using gateway = await payingGateway(upstream.url);
  const body = { ...ask, max_tokens: 1000 };
  const probe = await gateway.chat(body, { key: gateway.payer });
  assert.equal(probe.status, 200);
  const { heldE8, chargedE8 } = await lastCall(gateway);
  // Leaves room for exactly 20 calls of this worst case, each of which settles for less.
  const { avail } = gateway.admin.ledger.balanceOf("paying");
  const { promise: all, resolve: release } = Promise.withResolvers<void>();
  upstream.answer(() =>
    all.then(() =>
      jsonReply(
        answerBody("Hi", { prompt_tokens: 0, completion_tokens: 1000, total_tokens: 1000 }),
      )
    )
  );
  const spare = avail - heldE8 * 20n;
  await gateway.admin.ledger.close(
    gateway.admin.ledger.hold({
      callId: 1_000_000,
      requestId: "req_aaaaaaaaaaaa1",
      projectId: "paying",
      keyId: "k",
      capability: "chat",
      model: "m",
      provider: "a",
      route: "a/m",
      priceVersion: (await lastCall(gateway)).priceVersion,
      heldE8: spare,
      unlimited: false,
      stream: false,
      openedAt: Date.now(),
    })!,
    {
      result: "completed",
      billable: true,
      usage: {
        promptTokens: 0,
        completionTokens: 0,
        cachedTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      usageSource: "reported",
      images: 0,
      costE8: 0n,
      saleE8: spare,
      firstByteMs: undefined,
      attempts: 1,
      errorCode: undefined,
    },
  );
  const answers = Array.from({ length: 60 }, () => gateway.chat(body, { key: gateway.payer }));
  await upstream.received(20);
  const refused: number[] = [];
  const statuses = Promise.all(answers.map(async (answer) => {
    const { status, body } = await answer;
    await body?.cancel();
    if (status === 402 && refused.push(status) === 40) release();
    return status;
  }));
  const counted = await statuses;
  assert.equal(counted.filter((status) => status === 200).length, 20);
  assert.equal(counted.filter((status) => status === 402).length, 40);
  const after = gateway.admin.ledger.balanceOf("paying");
  assert.equal(after.held, 0n);
  assert.equal(after.avail, 20n * (heldE8 - chargedE8));
});
