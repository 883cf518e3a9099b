/**
 * One table of hourly sums beside what its calls add up to. Hours that are over and equal
 * are forgotten at once, so that only a few are known at a time.
 *
 * @module
 */

import { completionTokens, promptTokens } from "../../domain/work.ts";
import { Buffer } from "node:buffer";
import type { ClosedCall } from "../../domain/call.ts";
import { detailFigures } from "../../domain/call_figures.ts";
import { hourOf } from "../../domain/budgets.ts";
import { soldE8, spentE8 } from "../../domain/spending.ts";
import {
  HOURLY_TABLES,
  type HourlyTable,
  MOST_SUMMED,
  type SumKey,
  type SumRow,
} from "../../storage/ports/sums.ts";
import { type Difference, differenceOf } from "../base/findings.ts";

/** What a call, or several, add to a row. */
export interface Share {
  readonly subject: readonly string[];
  readonly figures: readonly bigint[];
  /** The least that it may have added, where an older rule added less. */
  readonly least: readonly bigint[];
}

interface Sum extends SumKey {
  readonly expected: bigint[];
  readonly least: bigint[];
  /** `undefined` while no row was read. */
  found: readonly bigint[] | undefined;
}

const SHARES: { readonly [table in HourlyTable]: (call: ClosedCall) => Share | undefined } = {
  usage_hourly(call) {
    const { work, costE8, saleE8, chargedE8, lossE8 } = call;
    const tokens = [BigInt(promptTokens(work)), BigInt(completionTokens(work))];
    const figures = [1n, ...tokens, costE8, saleE8, chargedE8, lossE8];
    const subject = [call.projectId, call.model, call.provider, call.route];
    return { subject, figures, least: figures };
  },
  detail_hourly(call) {
    const { work, costE8, saleE8, chargedE8, lossE8 } = call;
    const tokens = [BigInt(promptTokens(work)), BigInt(completionTokens(work))];
    const details = detailFigures(call).map(BigInt);
    const figures = [1n, ...tokens, costE8, saleE8, chargedE8, lossE8, ...details];
    const { projectId, keyId, capability, model, provider, route } = call;
    const subject = [projectId, keyId, capability, model, provider, route];
    return { subject, figures, least: figures };
  },
  spend_hourly(call) {
    const figures = [spentE8(call)];
    if (figures[0] === 0n) return undefined;
    return { subject: [call.projectId, call.keyId], figures, least: [soldE8(call)] };
  },
};

/** What a call adds to a table's row of its hour; `undefined` for nothing. */
export function shareOf(table: HourlyTable, call: ClosedCall): Share | undefined {
  return SHARES[table](call);
}

/** The figures that a call adds to a row of usage. */
export function usageFigures(call: ClosedCall): readonly bigint[] {
  return SHARES.usage_hourly(call)!.figures;
}

export class HourlySums {
  readonly table: HourlyTable;
  /** What is before it is not compared. */
  readonly firstHour: number;
  /** Up to this hour an older rule may have added the least. */
  readonly #olderRuleUpTo: number;
  /** By hour, then by subject. */
  readonly #hours = new Map<number, Map<string, Sum>>();
  /** The last row that was read. */
  #place: SumKey | undefined;
  #rows = 0;

  constructor(
    table: HourlyTable,
    { olderRuleUpTo, firstHour }: { readonly olderRuleUpTo: number; readonly firstHour: number },
  ) {
    this.table = table;
    this.firstHour = firstHour;
    this.#olderRuleUpTo = olderRuleUpTo;
  }

  get place(): SumKey | undefined {
    return this.#place;
  }

  /** Rows read. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds a call to its row. */
  add(call: ClosedCall): void {
    const share = SHARES[this.table](call);
    if (share !== undefined) this.addShare(hourOf(call.closedAt), share);
  }

  /** Adds what calls of an hour come to. */
  addShare(hour: number, { subject, figures, least }: Share): void {
    if (hour < this.firstHour) return;
    const sum = this.#sumOf({ hour, subject });
    for (const [index, figure] of figures.entries()) {
      sum.expected[index]! += figure;
      sum.least[index]! += least[index]!;
    }
  }

  /** Adds a call, unless its row was read already: it came after that. */
  addIfUnread(call: ClosedCall): void {
    const share = SHARES[this.table](call);
    if (share === undefined) return;
    const key = { hour: hourOf(call.closedAt), subject: share.subject };
    if (this.#place === undefined || compareKeys(key, this.#place) > 0) this.add(call);
  }

  /** Takes the rows that follow the last one read. */
  take(rows: readonly SumRow[]): void {
    for (const row of rows) {
      this.#rows++;
      this.#sumOf(row).found = row.figures;
      this.#place = row;
    }
  }

  /** Forgets what is equal of the hours before this one. */
  forgetBefore(beforeHour: number): void {
    for (const [hour, sums] of this.#hours) {
      if (hour >= beforeHour) continue;
      for (const [subject, sum] of sums) if (this.#isRight(sum)) sums.delete(subject);
      if (sums.size === 0) this.#hours.delete(hour);
    }
  }

  /** What is not equal, once everything is read. */
  *differences(): Generator<Difference> {
    for (const sums of this.#hours.values()) {
      for (const sum of sums.values()) {
        if (!this.#isRight(sum)) yield* this.#describe(sum);
      }
    }
  }

  *#describe(sum: Sum): Generator<Difference> {
    const hour = new Date(sum.hour * 3_600_000).toISOString().slice(0, 13);
    const id = `${hour}:00Z ${sum.subject.join(" ")}`;
    for (const [index, column] of HOURLY_TABLES[this.table].figures.entries()) {
      const expected = capped(sum.expected[index]!);
      const found = sum.found?.[index];
      if (found === undefined ? expected === 0n : this.#fits(sum, index)) continue;
      const detail = found === undefined
        ? "the calls of this hour have no sum"
        : "the calls of this hour add up to this";
      yield differenceOf([this.table, id], detail, { column, expected, found: found ?? null });
    }
  }

  #isRight(sum: Sum): boolean {
    return sum.expected.every((_, index) => this.#fits(sum, index));
  }

  #fits({ hour, expected, least, found }: Sum, index: number): boolean {
    const figure = found?.[index] ?? 0n;
    const most = capped(expected[index]!);
    if (hour > this.#olderRuleUpTo) return figure === most;
    return figure <= most && figure >= capped(least[index]!);
  }

  #sumOf({ hour, subject }: SumKey): Sum {
    let sums = this.#hours.get(hour);
    if (sums === undefined) this.#hours.set(hour, sums = new Map());
    const name = subject.join("\0");
    let sum = sums.get(name);
    if (sum === undefined) {
      const zeros = () => HOURLY_TABLES[this.table].figures.map(() => 0n);
      sum = { hour, subject, expected: zeros(), least: zeros(), found: undefined };
      sums.set(name, sum);
    }
    return sum;
  }
}

function capped(figure: bigint): bigint {
  return figure < MOST_SUMMED ? figure : MOST_SUMMED;
}

function compareKeys(a: SumKey, b: SumKey): number {
  if (a.hour !== b.hour) return a.hour - b.hour;
  for (const [index, text] of a.subject.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(b.subject[index]!));
    if (order !== 0) return order;
  }
  return 0;
}
