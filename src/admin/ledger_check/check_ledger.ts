/**
 * The whole check of the books: re-adds every balance and every sum, reprices every
 * call and looks for altered rows, and for missing ones of the audit log, in slices,
 * so that whoever shares the thread goes on.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import { compareCut, type LiveBooks, type StoredBooks, takeCut } from "./balance_cut.ts";
import { checkCheckpoints } from "./check_checkpoints.ts";
import { SealedCheck } from "./check_sealed.ts";
import { CheckProgress } from "./check_progress.ts";
import {
  checkAudit,
  CHECKED_TABLES,
  checkRowSums,
  readSlices,
  type RowReading,
} from "./check_rows.ts";
import { SumCheck } from "./check_sums.ts";
import { CallPass } from "./call_pass.ts";
import {
  type Difference,
  Differences,
  type LedgerFindings,
  ledgerFindings,
} from "../base/findings.ts";
import type { WorkProgress, WorkWatcher } from "../base/work_progress.ts";
import { LedgerPass } from "./ledger_pass.ts";
import * as z from "zod";
import { defineOperation } from "../base/operation.ts";

/** Rows read in one go: what a call may have to wait for. */
const SHARED_SLICE = 100;
/** Rows read in one go where nobody else writes the books, and nobody waits. */
const LONE_SLICE = 2_000;
const MOST_LISTED = 1_000;
/** A balance is wrong when it is wrong each of so many times in the same way. */
const CUTS = 3;

/** How the check goes on. */
export interface CheckOptions {
  /** Awaited between two slices. Default: one turn of the event loop. */
  readonly pause?: () => Promise<void>;
  /** Told how far it is, by the rows of the database. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
  /** Whether rows are read that a seal stands for. */
  readonly isDeep?: boolean;
}

/**
 * Checks the books as they are stored; with `live`, also against the memory of the
 * process that writes them meanwhile, which shares this thread. Of archived calls it is
 * checked what they leave behind: see `check_archive.ts` for themselves. When calls are archived
 * meanwhile, it begins again.
 */
export async function checkLedger(
  stored: StoredBooks,
  live?: LiveBooks,
  { pause = turn, onProgress = () => {}, isDeep = false }: CheckOptions = {},
): Promise<LedgerFindings> {
  for (;;) {
    const findings = await checkOnce(stored, live, { pause, onProgress, isDeep });
    const { length } = await stored.checkpoints.list();
    if (length === findings.checked.archives) return findings;
  }
}

async function checkOnce(
  stored: StoredBooks,
  live: LiveBooks | undefined,
  { pause, onProgress, isDeep }: Required<CheckOptions>,
): Promise<LedgerFindings> {
  const { seals } = stored;
  const differences = new Differences(MOST_LISTED);
  const slice = live === undefined ? LONE_SLICE : SHARED_SLICE;
  await live?.commits.flush();
  const counts = await (seals ?? stored.ledger).rowCounts();
  const progress = new CheckProgress(counts, onProgress);
  const onRows = progress.add.bind(progress);
  const reading = { differences, slice, pause, onRows };
  progress.begin("ledger");
  const { start, checkpoints } = await checkCheckpoints(stored.checkpoints, differences);
  const sums = await SumCheck.begin({ stored, live, start, differences, slice, pause });
  const ledger = new LedgerPass(stored.calls, differences, {
    start,
    onOutcome(call, place) {
      if (sealed?.isSealed(place) !== true) sums.add(call, place);
    },
  });
  const calls = new CallPass(stored.catalogue, { ledger, differences });
  const sealed = seals &&
    new SealedCheck({ ...reading, stored, seals, start, sums, ledger, calls, isDeep });
  if (sealed === undefined) await readBooks(stored, { ...reading, ledger, sums });
  else await sealed.read();
  await sums.finish();
  progress.begin("calls");
  if (sealed === undefined) {
    await readSlices({
      ...reading,
      read: () => stored.calls.slice(calls.lastCallId, slice),
      take: (rows) => calls.take(rows),
    });
  }
  progress.begin("checksums");
  const tables = sealed === undefined ? CHECKED_TABLES : ["price_versions"] as const;
  await checkRowSums(stored.ledger, tables, reading);
  progress.begin("audit");
  const auditRows = await checkAudit(stored.audit, reading);
  // Calls that closed meanwhile have their rows behind those read so far.
  const { cut, found } = await compareBalances(ledger, { stored, live });
  calls.finish();
  await sealed?.finish();
  for (const difference of found) differences.add(difference);
  return {
    differences: differences.list,
    omitted: differences.omitted,
    checked: {
      projects: cut.balances.length,
      ledger_rows: ledger.rows,
      calls: calls.calls,
      open_calls: cut.openCalls.length,
      price_versions: calls.priceVersions,
      audit_rows: auditRows,
      sums: sums.rows,
      archives: checkpoints.length,
      seals: sealed?.seals ?? 0,
      memory: cut.memory !== undefined,
    },
  };
}

/** Reads every row of every book. */
async function readBooks(
  stored: StoredBooks,
  { ledger, sums, slice, pause, onRows }: RowReading & {
    readonly ledger: LedgerPass;
    readonly sums: SumCheck;
  },
): Promise<void> {
  await noteArchived(stored, ledger, { slice, pause });
  for (const book of await stored.ledger.books()) {
    await readSlices({
      ...{ slice, pause, onRows },
      read: () => stored.ledger.slice(ledger.lastSeqOf(book), slice, book),
      async take(rows) {
        await ledger.take(rows);
        await sums.catchUp();
      },
    });
  }
}

/** Calls that are here and in an archive: of films, and those that are about to be dropped. */
async function noteArchived(
  { checkpoints, ledger: rows }: StoredBooks,
  ledger: LedgerPass,
  { slice, pause }: Pick<RowReading, "slice" | "pause">,
): Promise<void> {
  const lastSeq = ledger.lastSeqOf(MAIN_BOOK);
  let afterSeq = 0;
  let afterCall = 0;
  await readSlices({
    slice,
    read: async () => (await rows.slice(afterSeq, slice)).filter(({ seq }) => seq <= lastSeq),
    take(archived) {
      for (const { seq, callId } of archived) {
        afterSeq = seq;
        if (callId !== undefined) ledger.noteArchived(callId);
      }
    },
    pause,
  });
  await readSlices({
    slice,
    read: () => checkpoints.keptCalls(afterCall, slice),
    take(kept) {
      for (const callId of kept) ledger.noteArchived(afterCall = callId);
    },
    pause,
  });
}

/**
 * Compares balances until nothing differs, or the same differs each time: a
 * driver that lets a write between two reads makes no false alarm.
 */
async function compareBalances(ledger: LedgerPass, books: Parameters<typeof takeCut>[1]) {
  let cut = await takeCut(ledger, books);
  let found = compareCut(cut, ledger);
  for (let again = 1; again < CUTS && found.length > 0; again++) {
    await turn();
    cut = await takeCut(ledger, books);
    const before = new Set(found.map(fingerprint));
    found = compareCut(cut, ledger).filter((difference) => before.has(fingerprint(difference)));
  }
  return { cut, found };
}

/** Tells a difference by how much it is off, which stays while the balance moves. */
function fingerprint({ id, column, expected, found, detail }: Difference): string {
  const off = expected === null || found === null || column === "id"
    ? ""
    : String(BigInt(found) - BigInt(expected));
  return `${id} ${column} ${off} ${detail}`;
}

/** Lets the event loop serve whoever waits. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

export const verifyLedger = defineOperation({
  name: "ledger.verify",
  method: "POST",
  path: "/ledger/verify",
  role: "viewer",
  isLong: true,
  summary:
    "Re-add every balance and sum, reprice every call, and check the audit log; list what differs.",
  input: z.strictObject({
    deep: z.boolean().optional().describe(
      "Read what a seal stands for, too. Elsewhere than on a server everything is read anyway",
    ),
  }),
  output: ledgerFindings,
  errors: [],
  async run(deps, { deep: isDeep = false }) {
    const options = { ...followed(deps.watcher), isDeep };
    const findings = await checkLedger(deps.storage, deps, options);
    deps.alerts?.verified(findings.differences.length + findings.omitted);
    return findings;
  },
});

/** The check as somebody follows it, who may end it between any two slices. */
function followed(watcher: WorkWatcher | undefined): CheckOptions {
  if (watcher === undefined) return {};
  return {
    onProgress: (progress) => watcher.onProgress(progress),
    async pause() {
      watcher.signal.throwIfAborted();
      await turn();
    },
  };
}
