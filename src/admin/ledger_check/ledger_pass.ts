/**
 * Reads the ledger from its first row, or the first one that is not archived, to its
 * last: sequence, balances, and each row against the call it belongs to. May be continued
 * when rows have come.
 *
 * @module
 */

import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { CallStore } from "../../storage/ports/storage.ts";
import { CallSet } from "./call_set.ts";
import { FROM_THE_BEGINNING, type LedgerStart } from "./check_checkpoints.ts";
import type { Difference, Differences } from "./difference.ts";
import { RunningBalances } from "./running_balances.ts";

/** Calls read at once when looking for those of some rows. */
const CALLS_AT_ONCE = 100;

/** Where the reading stands, and what it has met. */
export class LedgerPass {
  readonly balances: RunningBalances;
  /** Calls that have their `settle` or `release` row. */
  readonly outcomes = new CallSet();
  /** Calls that have their `loss` row. */
  readonly losses = new CallSet();
  readonly #calls: Pick<CallStore, "slice">;
  readonly #differences: Differences;
  #lastSeq: number;
  #rows = 0;

  constructor(
    calls: Pick<CallStore, "slice">,
    differences: Differences,
    { lastSeq, balances }: LedgerStart = FROM_THE_BEGINNING,
  ) {
    this.#calls = calls;
    this.#differences = differences;
    this.#lastSeq = lastSeq;
    this.balances = new RunningBalances(differences, balances);
  }

  /** The last row read. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Notes that the rows of a call are in an archive, where they are proved. */
  noteArchived(callId: number): void {
    this.outcomes.add(callId);
    this.losses.add(callId);
  }

  /** Takes the rows that follow the last one read. */
  async take(rows: readonly LedgerRow[]): Promise<void> {
    const calls = await this.#callsOf(rows);
    for (const row of rows) {
      if (row.seq !== this.#lastSeq + 1) {
        this.#report(row, {
          column: "seq",
          expected: this.#lastSeq + 1,
          found: row.seq,
          detail: "rows are numbered without gaps",
        });
      }
      this.#lastSeq = row.seq;
      this.#rows++;
      this.balances.add(row);
      if (row.callId !== undefined) this.#checkCallRow(row, calls.get(row.callId));
    }
  }

  #checkCallRow(row: LedgerRow, call: StoredCall | undefined): void {
    const callId = row.callId!;
    if (call === undefined || call.state === "open") {
      this.#report(row, {
        column: "call_id",
        expected: null,
        found: callId,
        detail: call === undefined ? "there is no such call" : "that call is open",
      });
      return;
    }
    const isLoss = row.kind === "loss";
    const kind = isLoss ? "loss" : call.state === "settled" ? "settle" : "release";
    const amount = isLoss ? call.lossE8 : call.chargedE8;
    const facts:
      readonly (readonly [string, string | number | bigint, string | number | bigint])[] = [
        ["kind", kind, row.kind],
        ["amount_e8", amount, row.amountE8],
        ["project_id", call.projectId, row.projectId],
        ["at", call.closedAt, row.at],
      ];
    for (const [column, expected, found] of facts) {
      if (expected === found) continue;
      this.#report(row, { column, expected, found, detail: `its call ${callId} says otherwise` });
    }
    if ((isLoss ? this.losses : this.outcomes).add(callId)) return;
    this.#report(row, {
      column: "call_id",
      expected: null,
      found: callId,
      detail: `that call has its ${isLoss ? "loss" : "settle or release"} row already`,
    });
  }

  /** The calls that rows belong to. They lie close together, so they are read in runs. */
  async #callsOf(rows: readonly LedgerRow[]): Promise<ReadonlyMap<number, StoredCall>> {
    const ids = [...new Set(rows.flatMap(({ callId }) => callId === undefined ? [] : [callId]))]
      .sort((a, b) => a - b);
    const wanted = new Set(ids);
    const found = new Map<number, StoredCall>();
    let next = 0;
    while (next < ids.length) {
      const run = await this.#calls.slice(ids[next]! - 1, CALLS_AT_ONCE);
      for (const call of run) if (wanted.has(call.callId)) found.set(call.callId, call);
      const last = run.length < CALLS_AT_ONCE ? Infinity : run.at(-1)!.callId;
      while (next < ids.length && ids[next]! <= last) next++;
    }
    return found;
  }

  #report(
    row: LedgerRow,
    { column, expected, found, detail }: {
      column: string;
      expected: string | number | bigint | null;
      found: string | number | bigint;
      detail: string;
    },
  ): void {
    const difference: Difference = {
      table: "ledger",
      id: String(row.seq),
      column,
      expected: expected === null ? null : String(expected),
      found: String(found),
      detail,
    };
    this.#differences.add(difference);
  }
}
