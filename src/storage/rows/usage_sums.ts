/**
 * Hourly sums of usage and of spending on their way to their tables. They gather
 * over many batches, since calls are spread over keys, models and routes and would
 * cost a row each; `meta` says up to which ledger row they are in the tables, so
 * that a start adds what a crash has kept from them. An hour's amount that no column
 * holds stays at the largest that one does: no call is refused for the sake of a sum.
 *
 * @module
 */

import type { ClosedCall } from "../../domain/call.ts";
import { DETAIL_FIGURES, detailFigures } from "../../domain/call_figures.ts";
import { hourOf } from "../../domain/budgets.ts";
import { completionTokens, promptTokens } from "../../domain/work.ts";
import { spentE8 } from "../../domain/spending.ts";
import type { ColumnValue } from "./row_checksum.ts";
import { storable } from "./wide_sum.ts";

/** The figures of some calls. */
interface Figures {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  costE8: bigint;
  saleE8: bigint;
  chargedE8: bigint;
  lossE8: bigint;
}

/** A row of detailed sums, from which the others are made. */
interface DetailSum extends Figures {
  readonly hour: number;
  /** One of its calls. */
  readonly call: ClosedCall;
  spentE8: bigint;
  /** In the order of `DETAIL_FIGURES`. */
  readonly details: number[];
}

/** A row of usage. */
interface UsageSum extends Figures {
  readonly hour: number;
  readonly call: ClosedCall;
}

interface SpendSum {
  readonly hour: number;
  readonly projectId: string;
  readonly keyId: string;
  spentE8: bigint;
}

type Places = Map<string, Map<string, Map<string, DetailSum[]>>>;

/** Sums that are not in the table yet. */
export class UsageSums {
  readonly #sums: DetailSum[] = [];
  /** By route, key and model: of these, few rows differ in what else a row is about. */
  readonly #places: Places = new Map();

  /** Rows of details; those of the other tables are at most as many each. */
  get size(): number {
    return this.#sums.length;
  }

  /** Adds a closed call to its hour's usage and spending. */
  add(call: ClosedCall): void {
    const sum = this.#sumOf(call);
    sum.calls++;
    sum.promptTokens += promptTokens(call.work);
    sum.completionTokens += completionTokens(call.work);
    sum.costE8 += call.costE8;
    sum.saleE8 += call.saleE8;
    sum.chargedE8 += call.chargedE8;
    sum.lossE8 += call.lossE8;
    sum.spentE8 += spentE8(call);
    const details = detailFigures(call);
    for (let index = 0; index < details.length; index++) sum.details[index]! += details[index]!;
  }

  /** Rows of `usage_hourly`: its key and figures, in the order of its columns. */
  *usageRows(): Iterable<ColumnValue[]> {
    for (const sum of this.#usage()) {
      const { projectId, model, provider, route } = sum.call;
      yield [sum.hour, projectId, model, provider, route, ...figuresOf(sum)];
    }
  }

  /** Rows of `spend_hourly`. */
  *spendRows(): Iterable<ColumnValue[]> {
    for (const { hour, projectId, keyId, spentE8 } of this.spent()) {
      yield [hour, projectId, keyId, storable(spentE8)];
    }
  }

  /** Rows of `detail_hourly`. */
  *detailRows(): Iterable<ColumnValue[]> {
    for (const sum of this.#sums) {
      const { projectId, keyId, capability, model, provider, route } = sum.call;
      const subject = [projectId, keyId, capability, model, provider, route];
      yield [sum.hour, ...subject, ...figuresOf(sum), ...sum.details];
    }
  }

  clear(): void {
    this.#sums.length = 0;
    this.#places.clear();
  }

  /** The row that a call is counted in: looked for with no text made for it, as every call asks. */
  #sumOf(call: ClosedCall): DetailSum {
    let ofRoute = this.#places.get(call.route);
    if (ofRoute === undefined) this.#places.set(call.route, ofRoute = new Map());
    let ofKey = ofRoute.get(call.keyId);
    if (ofKey === undefined) ofRoute.set(call.keyId, ofKey = new Map());
    let sums = ofKey.get(call.model);
    if (sums === undefined) ofKey.set(call.model, sums = []);
    const hour = hourOf(call.closedAt);
    for (const sum of sums) if (sum.hour === hour && isSameSubject(sum.call, call)) return sum;
    const sum = emptyDetail(hour, call);
    sums.push(sum);
    this.#sums.push(sum);
    return sum;
  }

  /** Usage by project, model, provider and route. */
  #usage(): Iterable<UsageSum> {
    const rows = new Map<string, UsageSum>();
    for (const sum of this.#sums) {
      const { projectId, model, provider, route } = sum.call;
      const key = `${sum.hour}\0${projectId}\0${model}\0${provider}\0${route}`;
      const row = rows.get(key);
      if (row === undefined) {
        rows.set(key, { ...sum });
        continue;
      }
      row.calls += sum.calls;
      row.promptTokens += sum.promptTokens;
      row.completionTokens += sum.completionTokens;
      row.costE8 += sum.costE8;
      row.saleE8 += sum.saleE8;
      row.chargedE8 += sum.chargedE8;
      row.lossE8 += sum.lossE8;
    }
    return rows.values();
  }

  /** What keys have spent, where they have. */
  spent(): Iterable<SpendSum> {
    const rows = new Map<string, SpendSum>();
    for (const { hour, call: { projectId, keyId }, spentE8 } of this.#sums) {
      if (spentE8 === 0n) continue;
      const key = `${hour}\0${projectId}\0${keyId}`;
      const row = rows.get(key);
      if (row === undefined) rows.set(key, { hour, projectId, keyId, spentE8 });
      else row.spentE8 += spentE8;
    }
    return rows.values();
  }
}

/** Of calls of one route, key and model. */
function isSameSubject(one: ClosedCall, other: ClosedCall): boolean {
  return one.provider === other.provider && one.projectId === other.projectId &&
    one.capability === other.capability;
}

/** In the order of the columns. */
function figuresOf(sum: Figures): readonly (number | bigint)[] {
  return [
    sum.calls,
    sum.promptTokens,
    sum.completionTokens,
    storable(sum.costE8),
    storable(sum.saleE8),
    storable(sum.chargedE8),
    storable(sum.lossE8),
  ];
}

function emptyDetail(hour: number, call: ClosedCall): DetailSum {
  return {
    hour,
    call,
    calls: 0,
    promptTokens: 0,
    completionTokens: 0,
    costE8: 0n,
    saleE8: 0n,
    chargedE8: 0n,
    lossE8: 0n,
    spentE8: 0n,
    details: DETAIL_FIGURES.map(() => 0),
  };
}
