/**
 * Seals the ledger of a database that keeps seals, a while after its rows are written: by one of the
 * processes that use it, beside everything else that it does.
 *
 * @module
 */

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
  { storage, clock, log, lookMs = LOOK_MS }: KeepSealingOptions,
): KeptSealing {
  const { seals } = storage;
  if (seals === undefined) return { warnings: () => [], stop: () => Promise.resolve() };
  let trouble: string | undefined;
  let isStopped = false;
  let looking: Promise<void> | undefined;
  let sealer: LedgerSealer | undefined;
  const rest = restAsLong();
  function pause(): Promise<void> {
    if (isStopped) throw new Error("The gateway is stopping");
    return rest();
  }

  async function look(): Promise<void> {
    try {
      if (!await seals!.isSealer()) return;
      sealer ??= await createSealer({ ...storage, seals: seals! }, pause);
      const { seals: made, differences: [difference] } = await sealer.seal(clock.now());
      if (made > 0) log.info("ledger_sealed", { seals: made });
      trouble = difference && `${difference.table} ${difference.id}: ${difference.detail}`;
    } catch (error) {
      if (isStopped) return;
      trouble = error instanceof Error ? error.message : String(error);
    }
    if (trouble !== undefined) log.error("ledger_not_sealed", { message: trouble });
  }
  function begin(): void {
    looking ??= look().finally(() => looking = undefined);
  }
  begin();
  const timer = setInterval(begin, lookMs);
  return {
    warnings: () =>
      trouble === undefined
        ? []
        : [`the ledger is not sealed, so that ledger verify takes longer: ${trouble}`],
    async stop() {
      isStopped = true;
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
