/**
 * A past of several months for a gateway under test: credits and calls of every kind, as a
 * seed decides.
 *
 * @module
 */

import type { CallOutcome } from "../../src/accounts/close_call.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { openCall, outcome } from "./ledger_calls.ts";
import type { TestAdmin } from "./test_admin.ts";

/** How much of a past. */
export interface PastOptions {
  readonly months: number;
  /** Calls and credits of a month at most; 0 of some. */
  readonly most: number;
}

/** The first of a month so many months after January 2026, UTC. */
export function monthStart(month: number): number {
  return Date.UTC(2026, month);
}

/** Lives through so many months, from where the clock is; gives the references of its credits. */
export async function liveThroughMonths(
  { deps, clock }: TestAdmin,
  random: SeededRandom,
  { months, most }: PastOptions,
): Promise<readonly { readonly reference: string; readonly amount: string }[]> {
  const credits: { reference: string; amount: string }[] = [];
  let callId = await deps.storage.calls.lastCallId();
  const now = new Date(clock.now());
  const first = (now.getUTCFullYear() - 2026) * 12 + now.getUTCMonth();
  async function credit(): Promise<void> {
    const reference = `invoice-${first}-${credits.length + 1}`;
    const amount = `${random.integer(1, 9)}.${random.integer(1, 9)}`;
    credits.push({ reference, amount });
    await runOperation(creditProject, { deps, input: { project: "paying", amount, reference } });
  }
  await credit();
  for (let month = first; month < first + months; month++) {
    clock.setWall(monthStart(month));
    const acts = random.chance(0.15) ? 0 : random.integer(1, most);
    const stepMs = Math.floor((monthStart(month + 1) - monthStart(month)) / (acts + 1));
    for (let act = 0; act < acts; act++) {
      clock.advance(random.integer(0, stepMs));
      if (random.chance(0.1)) await credit();
      else await call(deps, random, ++callId);
    }
  }
  clock.setWall(monthStart(first + months));
  await deps.commits.flush();
  return credits;
}

/** A call that is settled, settled beyond its hold, released, free, or of an unlimited project. */
async function call(deps: AdminDeps, random: SeededRandom, callId: number): Promise<void> {
  const isUnlimited = random.chance(0.3);
  const hold = deps.ledger.hold(openCall(deps, {
    callId,
    requestId: `req_${"a".repeat(12)}${callId.toString(36)}`,
    openedAt: deps.clock.now(),
    ...(isUnlimited
      ? { projectId: "free", unlimited: true, heldE8: 0n }
      : { heldE8: random.chance(0.2) ? 1000n : 5_000_000n }),
  }));
  if (hold === undefined) return;
  if (random.chance(0.8)) await deps.ledger.close(hold, billed(deps, random));
  else await deps.ledger.close(hold, outcome(deps, { billable: false, source: "none" }));
}

/** Of some calls also what few have: units without a column of their own, and a tier. */
function billed(deps: AdminDeps, random: SeededRandom): CallOutcome {
  if (random.chance(0.7)) return outcome(deps, {});
  const sound = { input: 700, inputAudio: 70, cacheWrite1h: 30, output: 400, outputAudio: 20 };
  return { ...outcome(deps, { work: sound }), terms: { serviceTier: "priority" } };
}
