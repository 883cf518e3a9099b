/**
 * The whole check of the books: re-adds every balance, reprices every call and
 * looks for altered rows, and for missing ones of the audit log, in slices, so
 * that whoever shares the thread goes on.
 *
 * @module
 */

import { compareCut, type LiveBooks, type StoredBooks, takeCut } from "./balance_cut.ts";
import { checkAudit } from "./check_audit.ts";
import { CallPass } from "./call_pass.ts";
import { type Difference, Differences } from "./difference.ts";
import { LedgerPass } from "./ledger_pass.ts";

/** What the check found. */
export interface LedgerFindings {
  /** Empty when everything adds up. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
  readonly checked: {
    readonly projects: number;
    readonly ledger_rows: number;
    readonly calls: number;
    readonly open_calls: number;
    readonly price_versions: number;
    readonly audit_rows: number;
    /** Whether the balances in the running gateway's memory were compared too. */
    readonly memory: boolean;
  };
}

/** Rows read in one go: what a call may have to wait for. */
const SHARED_SLICE = 100;
/** Rows read in one go where nobody else writes the books, and nobody waits. */
const LONE_SLICE = 2_000;
const MOST_LISTED = 1_000;
/** A balance is wrong when it is wrong each of so many times in the same way. */
const CUTS = 3;
/** Below every key that a table may have. */
const FIRST = Number.MIN_SAFE_INTEGER;

/** How the check goes on. */
export interface CheckOptions {
  /** Awaited between two slices. Default: one turn of the event loop. */
  readonly pause?: () => Promise<void>;
}

/**
 * Checks the books as they are stored; with `live`, also against the memory of the
 * process that writes them meanwhile, which shares this thread.
 */
export async function checkLedger(
  stored: StoredBooks,
  live?: LiveBooks,
  { pause = turn }: CheckOptions = {},
): Promise<LedgerFindings> {
  const differences = new Differences(MOST_LISTED);
  const slice = live === undefined ? LONE_SLICE : SHARED_SLICE;
  await live?.commits.flush();
  const ledger = new LedgerPass(stored.calls, differences);
  await readSlices(slice, {
    read: () => stored.ledger.slice(ledger.lastSeq, slice),
    take: (rows) => ledger.take(rows),
    pause,
  });
  const calls = new CallPass(stored.catalogue, { ledger, differences });
  await readSlices(slice, {
    read: () => stored.calls.slice(calls.lastCallId, slice),
    take: (rows) => calls.take(rows),
    pause,
  });
  await checkSums(stored, { differences, slice, pause });
  const auditRows = await checkAudit(stored.audit, { differences, slice, pause });
  // Calls that closed meanwhile have their rows behind those read so far.
  const { cut, found } = await compareBalances(ledger, { stored, live });
  calls.finish();
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
      memory: cut.memory !== undefined,
    },
  };
}

async function readSlices<Row>(
  slice: number,
  { read, take, pause }: Required<CheckOptions> & {
    readonly read: () => Promise<readonly Row[]>;
    readonly take: (rows: readonly Row[]) => Promise<void>;
  },
): Promise<void> {
  for (;;) {
    const rows = await read();
    await take(rows);
    if (rows.length < slice) return;
    await pause();
  }
}

async function checkSums(
  { ledger }: StoredBooks,
  { differences, slice, pause }: Required<CheckOptions> & {
    readonly differences: Differences;
    readonly slice: number;
  },
): Promise<void> {
  for (const table of ["calls", "ledger", "price_versions"] as const) {
    let after: number | undefined = FIRST;
    while (after !== undefined) {
      const { altered, next } = await ledger.alteredRows(table, after, slice);
      for (const row of altered) {
        differences.add({
          table,
          id: row.id,
          column: null,
          expected: null,
          found: null,
          detail: "the row was altered: its checksum does not fit its columns",
        });
      }
      after = next;
      await pause();
    }
  }
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
