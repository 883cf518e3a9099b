/**
 * `ledger verify`: re-adds every balance, reprices every call and looks for
 * altered rows, in slices, while the gateway goes on.
 *
 * @module
 */

import * as z from "zod";
import type { AdminDeps } from "./deps.ts";
import { compareCut, takeCut } from "./ledger_check/balance_cut.ts";
import { CallPass } from "./ledger_check/call_pass.ts";
import { type Difference, Differences } from "./ledger_check/difference.ts";
import { LedgerPass } from "./ledger_check/ledger_pass.ts";
import { defineOperation } from "./operation.ts";

/** What the check found. */
export interface VerifyAnswer {
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
    /** Whether the balances in the running gateway's memory were compared too. */
    readonly memory: boolean;
  };
}

/** Rows read in one go: what a call may have to wait for. */
const SLICE = 100;
const MOST_LISTED = 1_000;
/** A balance is wrong when it is wrong each of so many times in the same way. */
const CUTS = 3;
/** Below every key that a table may have. */
const FIRST = Number.MIN_SAFE_INTEGER;

export const verifyLedger = defineOperation({
  name: "ledger.verify",
  method: "POST",
  path: "/ledger/verify",
  summary: "Re-adds every balance and reprices every call; lists what differs.",
  input: z.strictObject({}),
  run: (deps) => verify(deps),
});

async function verify(deps: AdminDeps): Promise<VerifyAnswer> {
  const { storage } = deps;
  const differences = new Differences(MOST_LISTED);
  await deps.commits.flush();
  const ledger = new LedgerPass(storage.calls, differences);
  await readSlices(() => storage.ledger.slice(ledger.lastSeq, SLICE), (rows) => ledger.take(rows));
  const calls = new CallPass(storage.catalogue, { ledger, differences });
  await readSlices(() => storage.calls.slice(calls.lastCallId, SLICE), (rows) => calls.take(rows));
  await checkSums(deps, differences);
  // Calls that closed meanwhile have their rows behind those read so far.
  const { cut, found } = await compareBalances(deps, ledger);
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
      memory: cut.memory !== undefined,
    },
  };
}

async function readSlices<Row>(
  read: () => Promise<readonly Row[]>,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const rows = await read();
    await take(rows);
    if (rows.length < SLICE) return;
    await pause();
  }
}

async function checkSums({ storage }: AdminDeps, differences: Differences): Promise<void> {
  for (const table of ["calls", "ledger", "price_versions"] as const) {
    let after: number | undefined = FIRST;
    while (after !== undefined) {
      const { altered, next } = await storage.ledger.alteredRows(table, after, SLICE);
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
async function compareBalances(deps: AdminDeps, ledger: LedgerPass) {
  let cut = await takeCut(deps, ledger);
  let found = compareCut(cut, ledger);
  for (let again = 1; again < CUTS && found.length > 0; again++) {
    await pause();
    cut = await takeCut(deps, ledger);
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
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
