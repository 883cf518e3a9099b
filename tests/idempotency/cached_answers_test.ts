/**
 * Answers that equal requests get: how long, and what of them is stored.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { createBodyBudget } from "../../src/http/bodies/body_budget.ts";
import { freeOfCharge } from "../../src/idempotency/free_of_charge.ts";
import { RepeatedRequests } from "../../src/idempotency/repeated_requests.ts";
import { FakeClock } from "../support/fake_clock.ts";

const NONE = { size: () => Promise.resolve(undefined), find: () => Promise.resolve(undefined) };

function startCache({ mayCache = true } = {}) {
  const clock = new FakeClock();
  let stored: IdempotencyRecord | undefined;
  const requests = new RepeatedRequests({
    answers: NONE,
    cached: {
      size: () => Promise.resolve(stored?.body?.length),
      find: () => Promise.resolve(stored),
    },
    mayCache: () => mayCache,
    clock,
    roomOf: () => createBodyBudget(10_000),
    awaitTurn: () => Promise.resolve(),
    mayKeep: () => assert.fail("it is no part of what a project keeps"),
    fleetingPart: ":",
  });
  let asked = 0;
  const ask = async (isFresh = false) => {
    const { body, isRepeated } = await requests.answer({
      scope: { projectId: "p", path: "/x", key: "print" },
      fingerprint: "print",
      requestId: `req_${++asked}`,
      client: new AbortController().signal,
      cache: { seconds: 60, mostBytes: 4_000, isFresh },
    }, ({ toRecord }) => {
      const text = `{"n":${asked}}`;
      stored = toRecord(text);
      return Promise.resolve(text);
    });
    return [body, isRepeated];
  };
  return { clock, ask, stored: () => stored };
}

Deno.test("an answer is given for as long as its project wants, then made again", async () => {
  const { ask, clock, stored } = startCache();
  assert.deepEqual(await ask(), ['{"n":1}', false]);
  assert.equal(stored()!.expiresAt, clock.now() + 60_000);
  assert.equal(stored()!.cacheBytes, 4_000);
  clock.advance(59_999);
  assert.deepEqual(await ask(), ['{"n":1}', true]);
  clock.advance(1);
  assert.deepEqual(await ask(), ['{"n":3}', false]);
  assert.deepEqual(await ask(true), ['{"n":4}', false], "a fresh one was asked for");
  assert.deepEqual(await ask(), ['{"n":4}', true]);
});

Deno.test("nothing is stored where the disk has no room", async () => {
  const { ask, stored } = startCache({ mayCache: false });
  assert.deepEqual(await ask(), ['{"n":1}', false]);
  assert.equal(stored()!.body, undefined);
});

Deno.test("freeOfCharge() changes what the gateway says of prices, and no word of a model", () => {
  const pricing = { currency: "USD", cost_amount: "0.00000100", sale_amount: "12.00000200" };
  const usage = { cost: 1e-7, is_byok: false, cost_details: { upstream_inference_cost: 0.5 } };
  const text = JSON.stringify({ said: JSON.stringify({ pricing, usage }), pricing, usage });
  const nothing = "0.00000000";
  assert.equal(
    freeOfCharge(text),
    JSON.stringify({
      said: JSON.stringify({ pricing, usage }),
      pricing: { ...pricing, cost_amount: nothing, sale_amount: nothing },
      usage: { ...usage, cost: 0, cost_details: { upstream_inference_cost: 0 } },
    }),
  );
});
