/**
 * Seals the ledger of a database that keeps seals, a while after its rows are written: by one of the
 * processes that use it, beside everything else that it does.
 *
 * @module
 */

import { dueMonth } from "../admin/archives/closed_months.ts";
import type { LedgerSealer } from "../admin/ledger_check/ledger_sealer.ts";
import type { Clock } from "../domain/clock.ts";
import { spanText } from "../domain/span_text.ts";
import { waitAtMost } from "../domain/wait_at_most.ts";
import type { LedgerSeals } from "../storage/ports/seals.ts";
import type { ServerState } from "../storage/ports/server_state.ts";
import type { Storage } from "../storage/ports/storage.ts";
import type { Log } from "../telemetry/log.ts";
import { APART_MS } from "./archives/keep_archiving.ts";
import { restAsLong } from "./jobs/rest_as_long.ts";

/** Between two looks for what may be sealed, milliseconds. */
const LOOK_MS = 10 * 60_000;
/**
 * The end of the process waits so long for what is under way: one statement may wait for minutes on a
 * server that is silent. What it does is done as a whole or not at all, and nothing follows it.
 */
const STOP_PATIENCE_MS = 2_000;
/** Rows read in one go: what a call may have to wait for. */
const SLICE = 100;

/** What is sealed, and who hears of it. */
export interface KeepSealingOptions {
  readonly storage: Storage;
  /** Whose clock has a say, too, in how old calls are. */
  readonly server: { state(): Pick<ServerState, "answerMs" | "clockAheadMs"> };
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Log, "info" | "error">;
  /** Calls of a month are deleted once it has ended so many months ago. Default: never. */
  readonly dropAfterMonths?: number | undefined;
  /** For tests. */
  readonly lookMs?: number;
}

/** Sealing that goes on until it is stopped. */
export interface KeptSealing {
  /** What an operator should know now; anybody may ask. */
  warnings(): readonly string[];
  /** Resolves once nothing is read any more, or soon, where a statement is not answered. */
  stop(): Promise<void>;
}

/** Begins at once; does nothing where no seals are kept. */
export function keepSealing(
  { storage, server, clock, log, dropAfterMonths, lookMs = LOOK_MS }: KeepSealingOptions,
): KeptSealing {
  const { seals } = storage;
  if (seals === undefined) return { warnings: () => [], stop: () => Promise.resolve() };
  const troubles = new Map<string, string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let looking: Promise<void> | undefined;
  let sealer: LedgerSealer | undefined;
  let areApart = false;
  let rest = restAsLong(signal);
  const pause = () => rest();

  async function look(): Promise<void> {
    // What was done long ago needs no rest.
    rest = restAsLong(signal);
    let isSealer = false;
    await attempt(["ledger_not_sealed", "the ledger is not sealed"], async () => {
      isSealer = await seals!.isSealer();
      return isSealer ? await sealDue() : undefined;
    });
    if (!isSealer || dropAfterMonths === undefined || signal.aborted) return;
    await attempt(["calls_not_dropped", "old calls are not deleted"], () => {
      return dropDue(dropAfterMonths);
    });
  }
  /** Does what gives its trouble, or throws it. */
  async function attempt(
    [event, failure]: readonly [event: string, failure: string],
    work: () => Promise<string | undefined>,
  ): Promise<void> {
    let trouble: string | undefined;
    try {
      trouble = await work();
    } catch (error) {
      if (signal.aborted) return;
      // An error's own words may have an address in them.
      troubles.set(event, `${failure}: the log says why (${event})`);
      const why = error instanceof Error ? error.message : String(error);
      return log.error(event, { message: `${failure}: ${why}` });
    }
    if (trouble === undefined) return void troubles.delete(event);
    troubles.set(event, trouble);
    log.error(event, { message: trouble });
  }
  async function sealDue(): Promise<string | undefined> {
    sealer ??= await createSealer({ ...storage, seals: seals! }, pause);
    const { seals: made, differences: [difference] } = await sealer.seal(clock.now());
    if (made > 0) log.info("ledger_sealed", { seals: made });
    return difference &&
      `the ledger is not sealed, so that ledger verify takes longer: ${difference.table} ` +
        `${difference.id}: ${difference.detail}`;
  }
  async function dropDue(months: number): Promise<string | undefined> {
    const { answerMs, clockAheadMs } = server.state();
    // Nobody knows yet how far they are apart.
    if (answerMs === 0) return undefined;
    const wereApart = areApart;
    areApart = Math.abs(clockAheadMs) >= APART_MS;
    if (areApart) {
      // As long as they are, the server's own warning says it.
      const message = `old calls are not deleted: this machine's clock and the database server's ` +
        `are ${spanText(clockAheadMs)} apart`;
      if (!wereApart) log.error("calls_not_dropped", { message });
      return undefined;
    }
    const { dropOldCalls } = await import("../admin/ledger_check/drop_old_calls.ts");
    const beforeMs = dueMonth(clock.now() - Math.max(0, clockAheadMs), months);
    const { calls, trouble } = await dropOldCalls({ seals: seals!, beforeMs, pause });
    if (calls > 0) log.info("calls_dropped", { calls });
    return trouble;
  }
  function begin(): void {
    looking ??= look().finally(() => looking = undefined);
  }
  begin();
  const timer = setInterval(begin, lookMs);
  return {
    warnings: () => [...troubles.values()],
    async stop() {
      stopping.abort(new Error("The gateway is stopping"));
      clearInterval(timer);
      await waitAtMost(STOP_PATIENCE_MS, Promise.resolve(looking));
    },
  };
}

/** Whoever seals nothing does not load what it is done with. */
async function createSealer(
  stored: Storage & { readonly seals: LedgerSeals },
  pause: () => Promise<void>,
): Promise<LedgerSealer> {
  const { LedgerSealer } = await import("../admin/ledger_check/ledger_sealer.ts");
  return new LedgerSealer({ stored, slice: SLICE, pause });
}
