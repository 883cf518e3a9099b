/**
 * Callers that leave before anything of their answer has come: no way around limits, budgets
 * and brakes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, rawSseReply, type Reply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ask, lastCall } from "../support/settled_calls.ts";
import { until } from "../support/until.ts";

const SILENT: Reply = { steps: [], before: ["stall!"] };

/** A gateway whose paying project has these settings, and a balance of 10. */
async function gatewayWith(
  url: string,
  settings: string,
): Promise<TestGateway & { readonly payer: string }> {
  const catalogue = twoRoutes(url, url).replace(
    "{ id: paying, unlimited: false }",
    `{ id: paying, unlimited: false, ${settings} }`,
  );
  const gateway = await startTestGateway({ catalogue });
  await gateway.credit("paying", "10");
  return Object.assign(gateway, { payer: await gateway.key("paying") });
}

/** Asks, leaves once the upstream has the request, and waits until the call is over. */
async function leave(
  gateway: TestGateway & { readonly payer: string },
  { received, body = {} }: { readonly received: () => Promise<unknown>; readonly body?: object },
): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const pending = gateway.chat({ ...ask, ...body }, { key: gateway.payer, signal });
  await received();
  abort.abort();
  await assert.rejects(pending);
  await until("the call's end", () => gateway.running.openCalls() === 0);
  await gateway.admin.commits.flush();
}

Deno.test("who leaves before the first byte keeps its tokens in the limits", async () => {
  await using upstream = await startFakeUpstream(SILENT);
  await using gateway = await gatewayWith(upstream.url, "limits: { tokens_per_minute: 1000 }");
  await leave(gateway, {
    received: () => upstream.received(0),
    body: { max_tokens: 900, stream: true },
  });
  const refused = await gateway.chat({ ...ask, max_tokens: 900 }, { key: gateway.payer });
  assert.equal(refused.status, 429);
  await refused.body?.cancel();
  assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 10_00000000n);
});

Deno.test("who leaves before the first byte spends of its budget, and not of its balance", async () => {
  await using upstream = await startFakeUpstream(SILENT);
  await using gateway = await gatewayWith(upstream.url, 'budgets: { daily: "0.05" }');
  const content = "word ".repeat(30_000);
  await leave(gateway, {
    received: () => upstream.received(0),
    body: { messages: [{ role: "user", content }], max_tokens: 1 },
  });
  const call = await lastCall(gateway);
  assert.deepEqual([call.state, call.chargedE8], ["released", 0n]);
  // 30,000 tokens at 2 per million.
  assert.equal(call.lossE8 >= 6_000_000n, true);
  const refused = await gateway.chat(ask, { key: gateway.payer });
  assert.equal(refused.status, 402);
  assert.match((await refused.json()).error.message, /budget/);
  assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 10_00000000n);
});

Deno.test("who leaves pays what the upstream had counted before any output", async () => {
  const counts = usageChunk(400, 30);
  await using upstream = await startFakeUpstream(
    rawSseReply([
      `data: ${JSON.stringify({ ...chunk({ role: "assistant" }), usage: counts.usage })}\n\n`,
      "stall!",
    ]),
  );
  await using gateway = await gatewayWith(upstream.url, "limits: {}");
  // The counts are on their way for as long as it takes.
  await leave(gateway, {
    received: async () => {
      await upstream.received(0);
      await new Promise((resolve) => setTimeout(resolve, 200));
    },
    body: { stream: true },
  });
  const call = await lastCall(gateway);
  assert.deepEqual([call.state, call.usageSource], ["settled", "reported"]);
  assert.equal(call.chargedE8, 400n * 200n + 30n * 400n);
});

Deno.test("nothing is lost where no upstream could be reached, or none was asked any more", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}, { status: 503 }));
  await using gateway = await gatewayWith(upstream.url, "limits: { tokens_per_minute: 1000 }");
  const refused = await gateway.chat({ ...ask, max_tokens: 900 }, { key: gateway.payer });
  assert.equal(refused.status, 503);
  await refused.body?.cancel();
  assert.equal((await lastCall(gateway)).lossE8, 0n);
  upstream.answer(() => Promise.resolve(jsonReply(answerBody("Hi"))));
  const served = await gateway.chat({ ...ask, max_tokens: 900, route: "b/m" }, {
    key: gateway.payer,
  });
  assert.equal(served.status, 200);
  await served.body?.cancel();
});
