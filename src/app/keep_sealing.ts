/**
 * Seals the ledger of a database that keeps seals, a while after its rows are written: by one of the
 * processes that use it, beside everything else that it does.
 *
 * @module
 */

import { dueMonth } from "../admin/archives/closed_months.ts";
import type { LedgerSealer } from "../admin/ledger_check/ledger_sealer.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerSeals } from "../storage/ports/seals.ts";
import type { Storage } from "../storage/ports/storage.ts";
import type { Log } from "../telemetry/log.ts";
import { restAsLong } from "./jobs/rest_as_long.ts";

/** Between two looks for what may be sealed, milliseconds. */
const LOOK_MS = 10 * 60_000;
/** Rows read in one go: what a call may have to wait for. */
const SLICE = 100;

/** What is sealed, and who hears of it. */
export interface KeepSealingOptions {
  readonly storage: Storage;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Log, "info" | "error">;
  /** Calls of a month are deleted once it has ended so many months ago. Default: never. */
  readonly dropAfterMonths?: number | undefined;
  /** For tests. */
  readonly lookMs?: number;
}

/** Sealing that goes on until it is stopped. */
export interface KeptSealing {
  /** What an operator should know now. */
  warnings(): readonly string[];
  /** Resolves once nothing is read any more. */
  stop(): Promise<void>;
}

/** Begins at once; does nothing where no seals are kept. */
export function keepSealing(
  { storage, clock, log, dropAfterMonths, lookMs = LOOK_MS }: KeepSealingOptions,
): KeptSealing {
  const { seals } = storage;
  if (seals === undefined) return { warnings: () => [], stop: () => Promise.resolve() };
  let trouble: string | undefined;
  let isStopped = false;
  let looking: Promise<void> | undefined;
  let sealer: LedgerSealer | undefined;
  let rest = restAsLong();
  const { promise: stopped, reject: breakOff } = Promise.withResolvers<never>();
  // Where nothing is read, nobody waits for it.
  stopped.catch(() => {});
  const pause = () => Promise.race([stopped, rest()]);

  async function look(): Promise<void> {
    // What was done long ago needs no rest.
    rest = restAsLong();
    try {
      if (!await seals!.isSealer()) return;
      sealer ??= await createSealer({ ...storage, seals: seals! }, pause);
      const { seals: made, differences: [difference] } = await sealer.seal(clock.now());
      if (made > 0) log.info("ledger_sealed", { seals: made });
      trouble = difference &&
        `the ledger is not sealed, so that ledger verify takes longer: ${difference.table} ` +
          `${difference.id}: ${difference.detail}`;
      if (dropAfterMonths !== undefined) await dropDue(dropAfterMonths);
    } catch (error) {
      if (isStopped) return;
      const message = error instanceof Error ? error.message : String(error);
      trouble = `the ledger is not sealed: ${message}`;
    }
    if (trouble !== undefined) log.error("ledger_not_sealed", { message: trouble });
  }
  async function dropDue(months: number): Promise<void> {
    const { dropOldCalls } = await import("../admin/ledger_check/drop_old_calls.ts");
    const beforeMs = dueMonth(clock.now(), months);
    const dropped = await dropOldCalls({ seals: seals!, beforeMs, pause });
    if (dropped.calls > 0) log.info("calls_dropped", { calls: dropped.calls });
    trouble ??= dropped.trouble;
  }
  function begin(): void {
    looking ??= look().finally(() => looking = undefined);
  }
  begin();
  const timer = setInterval(begin, lookMs);
  return {
    warnings: () => trouble === undefined ? [] : [trouble],
    async stop() {
      isStopped = true;
      breakOff(new Error("The gateway is stopping"));
      clearInterval(timer);
      await looking;
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
