/**
 * What is true of the books after the program was killed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  ask,
  assertBooksAddUp,
  balanceOf,
  NONE,
  servePaying,
  startStream,
} from "../support/paying_gateway.ts";
import { serveGateway } from "../support/served_gateway.ts";

Deno.test("after kill -9 in mid-call the hold is given back once, and what was settled stays", async () => {
  let calls = 0;
  await using upstream = await startFakeUpstream(() =>
    ++calls === 1
      ? sseReply([
        chunk({ role: "assistant", content: "Hi" }),
        finishChunk(),
        usageChunk(1000, 500),
        "[DONE]",
      ])
      : sseReply([chunk({ role: "assistant", content: "Hi" }), "stall!"])
  );
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const settled = await startStream(gateway, key);
  assert.match(await settled.rest(), /\[DONE\]/);
  const lost = await startStream(gateway, key);
  // Asking for the call waits until its hold is on disk.
  const open = await gateway.cli("calls", "show", lost.requestId);
  assert.equal(open.state, "open");
  assert.notEqual(open.held, NONE);
  assert.deepEqual((await balanceOf(gateway)).held, open.held);
  const { signal } = await gateway.server.kill();
  assert.equal(signal, "SIGKILL");
  await lost.end();

  const after = { balance: "9.99600000", held: NONE };
  for (const start of ["first", "second"]) {
    await using again = await serveGateway({ dataDir: gateway.server.dataDir });
    assert.deepEqual(await balanceOf(again), after, `${start} start`);
    const shown = await again.cli("calls", "show", lost.requestId);
    const { state, result, charged, loss } = shown;
    assert.deepEqual({ state, result, charged, loss }, {
      state: "released",
      result: "gateway_stopped",
      charged: NONE,
      loss: open.held,
    });
    const kept = await again.cli("calls", "show", settled.requestId);
    assert.deepEqual([kept.state, kept.charged], ["settled", "0.00400000"]);
    await assertBooksAddUp(again);
    const next = await again.chat(key, { ...ask, model: "echo-1", messages: [] });
    assert.equal((await next.json()).error.code, "invalid_value");
    await again.server.kill();
  }
});

Deno.test("every answer that was given before kill -9 is settled after it", async () => {
  const { gateway, key } = await servePaying("http://127.0.0.1:9/v1");
  await using _ = gateway;
  const answered: { id: string; charged: bigint }[] = [];
  const enough = Promise.withResolvers<void>();
  async function callUntilCut(stream: boolean): Promise<void> {
    try {
      for (;;) {
        const response = await gateway.chat(key, { ...ask, model: "echo-1", stream });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.ok(!stream || text.endsWith("data: [DONE]\n\n"));
        const [, sale] = /"sale_amount":"([\d.]+)"/.exec(text)!;
        answered.push({ id: response.headers.get("x-request-id")!, charged: units(sale!) });
        if (answered.length === 100) enough.resolve();
      }
    } catch (error) {
      // The connection ends with the process.
      assert.ok(error instanceof TypeError, String(error));
    }
  }
  const callers = [true, false, true, false, true, false].map(callUntilCut);
  await Promise.race([enough.promise, Promise.all(callers)]);
  await gateway.server.kill();
  await Promise.all(callers);
  assert.ok(answered.length >= 100);

  await using again = await serveGateway({ dataDir: gateway.server.dataDir });
  let sum = 0n;
  for (const { id, charged } of answered) {
    const call = await again.get(`/v1/calls/${id}`, key);
    assert.deepEqual([call.state, units(call.pricing.charged_amount)], ["settled", charged]);
    sum += charged;
  }
  const { balance, held } = await balanceOf(again);
  assert.equal(held, NONE);
  // Calls that were settled and whose answer was cut off are charged too.
  const paid = units("10.00000000") - units(balance);
  assert.ok(paid >= sum && paid <= sum + 6n * answered[0]!.charged, `${paid} of ${sum}`);
  await assertBooksAddUp(again);
});

/** An amount in units of 1e-8. */
function units(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}
