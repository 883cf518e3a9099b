/**
 * Works on a task that is claimed: runs what makes its video, keeps the lease meanwhile, and stores
 * what became of it.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import { type AttemptEnd, type Executor, STOPPED } from "../make/executor.ts";
import { type Attempt, type AttemptDeps, BEAT_MS } from "../task/attempt.ts";
import { concludeAttempt, type ConcludeDeps } from "./conclude_attempt.ts";

/** Before the next attempt of a task whose reference image is in a bucket that is away. */
const AWAY_WAIT_MS = 10_000;

/** What working needs. */
export type WorkAttemptDeps = ConcludeDeps & Pick<AttemptDeps, "delay">;

/**
 * Resolves when the attempt is over.
 *
 * @throws What concluding throws; the task's lease then runs out.
 */
export async function workAttempt(
  deps: WorkAttemptDeps,
  attempt: Attempt,
  executor: Executor,
): Promise<void> {
  const over = new AbortController();
  beat(deps, attempt, over.signal).catch((error) =>
    deps.onEvent({ kind: "trouble", taskId: attempt.task.id, error })
  );
  try {
    await concludeAttempt(deps, attempt, await run(attempt, executor));
  } finally {
    over.abort();
  }
}

async function beat(
  { delay }: WorkAttemptDeps,
  attempt: Attempt,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    await delay(BEAT_MS, over);
    if (over.aborted) return;
    await attempt.beat();
  }
}

/** Nobody waits for an attempt that is lost, or that does not end in time. */
async function run(attempt: Attempt, executor: Executor): Promise<AttemptEnd> {
  const { promise: gone, resolve } = Promise.withResolvers<AttemptEnd>();
  attempt.hardSignal.addEventListener("abort", () => resolve(STOPPED), { once: true });
  if (attempt.stopped !== undefined) return STOPPED;
  const work = executor.run(attempt);
  try {
    const end = await Promise.race([work, gone]);
    if (end === STOPPED) {
      work.then((late) => late.kind === "content" && late.part.close(), () => {});
    }
    return end;
  } catch (error) {
    if (attempt.stopped !== undefined) return STOPPED;
    if (isDiskFull(error)) return { kind: "no_room", keepsPart: false };
    if (error instanceof GatewayError && error.error === "films_away") {
      return { kind: "postponed", waitMs: AWAY_WAIT_MS, why: "films_away" };
    }
    const message = "The attempt failed unexpectedly";
    return {
      kind: "broken",
      error: new UpstreamError("broken", message, { cause: error }),
      dropsJob: false,
    };
  }
}
