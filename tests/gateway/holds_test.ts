/**
 * What calls hold of a balance and take of limits, and what refusals leave alone.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import assert from "node:assert/strict";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { formatAmount, parseAmount } from "../../src/domain/money.ts";
import { answerBody, twoRoutes } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { ask, lastCall, payingGateway } from "../support/settled_calls.ts";

for (const [credit, charged] of [["10", 2002000n], ["0.001", 100000n]] as const) {
  Deno.test(`what goes beyond the hold is charged down to the balance (${credit})`, async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5000, total_tokens: 5010 };
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi", usage)));
    await using gateway = await payingGateway(upstream.url, credit);
    const response = await gateway.chat({ ...ask, max_tokens: 10 }, { key: gateway.payer });
    assert.equal(response.status, 200);
    const { pricing } = await response.json();
    const call = await lastCall(gateway);
    // 10 x 2 + 5000 x 4 per million, as far as the balance goes: the rest is the operator's loss.
    assert.equal(call.saleE8, 2002000n);
    assert.equal(call.chargedE8, charged);
    assert.equal(call.lossE8, 2002000n - charged);
    const { avail, held } = gateway.admin.ledger.balanceOf("paying");
    assert.deepEqual([avail, held], [parseAmount(credit) - charged, 0n]);
    // The answer says what was charged, as everything else does.
    assert.equal(pricing.sale_amount, formatAmount(charged));
    const headers = { authorization: `Bearer ${gateway.payer}` };
    const id = response.headers.get("x-request-id");
    const shown = await (await fetch(`${gateway.url}/v1/calls/${id}`, { headers })).json();
    assert.equal(shown.pricing.sale_amount, pricing.sale_amount);
    assert.equal(shown.pricing.charged_amount, pricing.sale_amount);
    const found = await runOperation(verifyLedger, { deps: gateway.admin, input: {} });
    assert.deepEqual(found.differences, []);
  });
}

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
  await using upstream = await startFakeUpstream(
    jsonReply({ error: { message: "Pay first", code: "insufficient_quota" } }, { status: 402 }),
  );
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

Deno.test("of two output limits the smaller is held for, as only that one is sent", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await payingGateway(upstream.url);
  const limits = { max_completion_tokens: 1, max_tokens: 50_000 };
  for (const body of [limits, { max_completion_tokens: 50_000, max_tokens: 1 }]) {
    assert.equal((await gateway.chat({ ...ask, ...body }, { key: gateway.payer })).status, 200);
    const { heldE8 } = await lastCall(gateway);
    assert.equal(heldE8 < 50_000n * 400n, true);
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
      work: workOfTokens({
        promptTokens: 0,
        completionTokens: 0,
        cachedTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      }),
      usageSource: "reported",
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
