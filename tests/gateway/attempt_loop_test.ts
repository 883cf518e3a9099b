/**
 * What attempts take of a route and give back, at moments that no upstream can
 * be made to wait for.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { runAttempts } from "../../src/gateway/attempt_loop.ts";
import type { Ledger } from "../../src/accounts/ledger.ts";
import type { MeteredCall } from "../../src/gateway/metered_call.ts";
import { RetryBudget } from "../../src/gateway/retry_budget.ts";
import type { Permit } from "../../src/limits/permit.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import type { Provider } from "../../src/providers/contract/provider.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { Health } from "../../src/routing/health.ts";
import { route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { question } from "../support/route_question.ts";
import { freeStay } from "../support/free_stay.ts";

/** Whose calls they are. */
const projectId = "mine";

function bench(limited: Route, { affords = true, isLastResort = false }: {
  readonly affords?: boolean;
  readonly isLastResort?: boolean;
} = {}) {
  const clock = new FakeClock();
  const health = new Health({ clock });
  const capacity = new RouteCapacity({ clock });
  const asked = question({ routes: [limited], facts: { stream: true }, health, capacity });
  const run = (invoke: () => Promise<string>) => {
    let permit: Permit | undefined;
    const call = {
      facts: asked.facts,
      hold: { call: { route: "another", heldE8: 0n } },
      upstreamSignal: new AbortController().signal,
      request: {
        identity: { requestId: "req_aaaaaaaaaaaa1" },
        caller: { project: { id: projectId } },
        stay: freeStay(),
      },
      startAttempt: (_route: Route, taken: Permit) => permit = taken,
      endAttempt: () => permit?.release(),
      noteFirstByte() {},
    };
    return runAttempts({
      registry: { provider: () => ({} as Provider) },
      health,
      capacity,
      retryBudget: new RetryBudget(),
      clock,
      random: () => 0,
      onAttemptFailed() {},
      delay: () => Promise.resolve(),
      ledger: { rehold: () => affords } as unknown as Ledger,
    }, {
      call: call as unknown as MeteredCall,
      question: asked,
      selection: {
        candidates: [{
          route: limited,
          official: false,
          ...(isLastResort ? { isLastResort } : {}),
        }],
        rejected: [],
      },
      worstCaseE8: () => 0n,
      quoteE8: () => 0n,
      providerCall: (of) => ({ route: of, body: {}, outputTokensCap: undefined }),
      invoke,
    });
  };
  return { clock, health, capacity, run };
}

Deno.test("the first byte of a probing stream lets other calls in before its end", async () => {
  const tried = route();
  const { clock, health, run } = bench(tried);
  for (let failure = 0; failure < 5; failure++) {
    health.record(tried.id, { startedAt: clock.monotonic(), projectId, outcome: "broken" });
  }
  clock.advance(30_000);
  const served = await run(() => Promise.resolve("stream"));
  assert.equal(health.coolingUntil(tried.id), 0);
  await run(() => Promise.resolve("another"));
  served.ended("broken");
  assert.equal(health.coolingUntil(tried.id) > clock.monotonic(), true);
});

Deno.test("an attempt that is not made takes nothing of its route", async () => {
  const limited = route({ limits: { requestsPerMinute: 1, tokensPerMinute: 2_000 } });
  const poor = bench(limited, { affords: false });
  await assert.rejects(poor.run(() => assert.fail("nobody is asked")), {
    error: "insufficient_balance",
  });
  assert.equal(poor.capacity.secondsUntilRoom(limited, 2_000), 0);

  const open = bench(limited);
  for (let failure = 0; failure < 5; failure++) {
    const startedAt = open.clock.monotonic();
    open.health.record(limited.id, { startedAt, projectId, outcome: "broken" });
  }
  await assert.rejects(open.run(() => assert.fail("nobody is asked")), {
    error: "provider_unavailable",
  });
  assert.equal(open.capacity.secondsUntilRoom(limited, 2_000), 0);
});

Deno.test("a failed attempt counts as a request to its route", async () => {
  const limited = route({ limits: { requestsPerMinute: 1, concurrent: 1 } });
  const { capacity, run } = bench(limited);
  const busy = () => Promise.reject(new UpstreamError("busy", "Too many requests"));
  await assert.rejects(run(busy), { error: "provider_unavailable" });
  assert.equal(capacity.secondsUntilRoom(limited, 1), 60);
});

Deno.test("a shortage of descriptors is tried again and opens no circuit", async () => {
  const tried = route();
  const { health, run } = bench(tried);
  const starved = () => Promise.reject(new UpstreamError("starved", "No descriptor left"));
  for (let call = 0; call < 10; call++) await assert.rejects(run(starved));
  assert.equal(health.coolingUntil(tried.id), 0);
  let attempts = 0;
  const served = await run(() => attempts++ === 0 ? starved() : Promise.resolve("answer"));
  assert.equal(served.answer, "answer");
  assert.equal(attempts, 2);
});

Deno.test("a last route is looked at once a call, and serves again with the first answer", async () => {
  const last = route();
  const { clock, health, run } = bench(last, { isLastResort: true });
  for (let failure = 0; failure < 5; failure++) {
    health.record(last.id, { startedAt: clock.monotonic(), projectId, outcome: "broken" });
  }
  let attempts = 0;
  const dead = () => {
    attempts++;
    return Promise.reject(new UpstreamError("broken", "Nobody is there"));
  };
  const refused = { error: "provider_unavailable", retryAfterSeconds: 1 };
  await assert.rejects(run(dead), refused);
  assert.equal(attempts, 0, "within the first second");
  clock.advance(1_000);
  await assert.rejects(run(dead), refused);
  await assert.rejects(run(dead), refused);
  assert.equal(attempts, 1, "neither tried again nor by others");
  clock.advance(1_000);
  const served = await run(() => Promise.resolve("back"));
  assert.equal(served.answer, "back");
  assert.equal(health.coolingUntil(last.id), 0);
});
