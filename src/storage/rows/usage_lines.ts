/**
 * The lines of a usage report while it is added up, slice by slice.
 *
 * @module
 */

import { DETAIL_FIGURES, type DetailFigure } from "../../domain/call_figures.ts";
import {
  USAGE_GROUPS,
  type UsageGroup,
  type UsageQuery,
  type UsageTotals,
} from "../ports/usage.ts";
import { readWideSum, wideSumSql } from "./wide_sum.ts";

/** Grouping words in the order of a line's fields, and what each groups by. Nothing of a query's text becomes SQL. */
const GROUPS = {
  project: "project_id",
  key: "key_id",
  endpoint: "capability",
  model: "model",
  provider: "provider",
  route: "route",
  tag: "tag",
  day: "hour / 24",
  hour: "hour",
} as const satisfies { readonly [group in Exclude<UsageGroup, "month">]: string };

/** What an engine's SQL says in words of its own. */
export interface SumDialect {
  /** The month of `hour`, as `2026-11`. */
  readonly month: string;
  /** Selects the exact sum of an amount's column, under its name. */
  readonly exactSum: (column: string, name: string) => string;
}

const SQLITE: SumDialect = {
  month: "strftime('%Y-%m', hour * 3600, 'unixepoch')",
  exactSum: wideSumSql,
};

/** Those that are told otherwise than they are stored. */
const SHOWN: { readonly [group in UsageGroup]?: (value: bigint) => string } = {
  day: (day) => dateOf(day),
  hour: (hour) => new Date(Number(hour) * HOUR_MS).toISOString().replace(".000Z", "Z"),
};

const HOUR_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** Columns of amounts, without what says their unit. */
const AMOUNTS = ["cost", "sale", "charged", "loss"] as const;

/** Sums of one slice or of many; columns are as in {@linkcode UsageLines.selection}. */
interface Sums {
  readonly groups: readonly string[];
  calls: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  /** By the order of `AMOUNTS`. */
  readonly amountsE8: bigint[];
  /** By the order of `DETAIL_FIGURES`; empty where nobody asks for them. */
  readonly details: bigint[];
}

/** Lines by what they are grouped by, at most so many: the first ones in the report's order. */
export class UsageLines {
  readonly #groups: readonly UsageGroup[];
  readonly #figures: readonly DetailFigure[];
  readonly #most: number;
  readonly #dialect: SumDialect;
  readonly #lines: Map<string, Sums> = new Map();
  /** Lines behind this one were left out, and are left out from now on. */
  #last: readonly string[] | undefined;

  constructor(
    { groupBy, hasDetails = false }: Pick<UsageQuery, "groupBy" | "hasDetails">,
    most: number,
    dialect: SumDialect = SQLITE,
  ) {
    this.#dialect = dialect;
    this.#figures = hasDetails ? DETAIL_FIGURES : [];
    this.#groups = USAGE_GROUPS.filter((group) => groupBy.includes(group));
    this.#most = most;
  }

  /** What a statement selects for {@linkcode add}; `isWide` is slower, and never overflows. */
  selection(isWide: boolean): string {
    return [
      ...this.#groups.map((group) => `${this.#sqlOf(group)} AS "${group}"`),
      "sum(calls) AS calls",
      "sum(prompt_tokens) AS prompt_tokens",
      "sum(completion_tokens) AS completion_tokens",
      ...this.#figures.map((name) => `sum(${name}) AS ${name}`),
      ...AMOUNTS.map((name) =>
        isWide ? this.#dialect.exactSum(`${name}_e8`, name) : `sum(${name}_e8) AS ${name}`
      ),
    ].join(", ");
  }

  /** What it groups by. */
  get grouping(): string {
    return this.#groups.length === 0
      ? "HAVING count(*) > 0"
      : `GROUP BY ${this.#groups.map((group) => this.#sqlOf(group)).join(", ")}`;
  }

  #sqlOf(group: UsageGroup): string {
    return group === "month" ? this.#dialect.month : GROUPS[group];
  }

  /** Adds rows of a {@linkcode selection}, read with BigInts. */
  add(rows: readonly Readonly<Record<string, unknown>>[]): void {
    for (const row of rows) {
      this.#addSums({
        groups: this.#groups.map((group) =>
          SHOWN[group]?.(row[group] as bigint) ?? row[group] as string
        ),
        calls: row.calls as bigint,
        promptTokens: row.prompt_tokens as bigint,
        completionTokens: row.completion_tokens as bigint,
        amountsE8: AMOUNTS.map((name) =>
          name in row ? row[name] as bigint : readWideSum(row, name)
        ),
        details: this.#figures.map((name) => row[name] as bigint),
      });
    }
  }

  /** Adds what other lines of the same grouping hold, and empties them. */
  take(other: UsageLines): void {
    for (const sums of other.#lines.values()) this.#addSums(sums);
    other.#lines.clear();
    // What the other has left out is missing here too.
    if (other.#last !== undefined) this.#leaveOutBehind(other.#last);
  }

  /** Whether lines were left out. */
  get areCut(): boolean {
    return this.#last !== undefined || this.#lines.size > this.#most;
  }

  /** The lines in order. */
  totals(): UsageTotals[] {
    return this.#ordered().slice(0, this.#most).map((sums) => this.#totals(sums));
  }

  #addSums(sums: Sums): void {
    if (this.#last !== undefined && compareGroups(sums.groups, this.#last) > 0) return;
    const key = sums.groups.join("\0");
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, {
        ...sums,
        amountsE8: [...sums.amountsE8],
        details: [...sums.details],
      });
      if (this.#lines.size >= 2 * this.#most) this.#leaveOut();
      return;
    }
    line.calls += sums.calls;
    line.promptTokens += sums.promptTokens;
    line.completionTokens += sums.completionTokens;
    for (let index = 0; index < AMOUNTS.length; index++) {
      line.amountsE8[index]! += sums.amountsE8[index]!;
    }
    for (let index = 0; index < sums.details.length; index++) {
      line.details[index]! += sums.details[index]!;
    }
  }

  /** A line that was ever left out never comes back, so that those that stay are whole. */
  #leaveOut(): void {
    this.#leaveOutBehind(this.#ordered()[this.#most - 1]!.groups);
  }

  #leaveOutBehind(last: readonly string[]): void {
    if (this.#last !== undefined && compareGroups(this.#last, last) <= 0) return;
    this.#last = last;
    for (const [key, { groups }] of this.#lines) {
      if (compareGroups(groups, last) > 0) this.#lines.delete(key);
    }
  }

  #ordered(): Sums[] {
    return [...this.#lines.values()].sort((a, b) => compareGroups(a.groups, b.groups));
  }

  #totals(
    { groups, calls, promptTokens, completionTokens, amountsE8, details }: Sums,
  ): UsageTotals {
    const [costE8, saleE8, chargedE8, lossE8] = amountsE8 as [bigint, bigint, bigint, bigint];
    return {
      ...Object.fromEntries(this.#groups.map((group, index) => [group, groups[index]])),
      calls: Number(calls),
      promptTokens: Number(promptTokens),
      completionTokens: Number(completionTokens),
      costE8,
      saleE8,
      chargedE8,
      lossE8,
      ...(details.length > 0 && {
        details: Object.fromEntries(
          this.#figures.map((name, index) => [name, Number(details[index])]),
        ) as { readonly [figure in DetailFigure]: number },
      }),
    };
  }
}

function dateOf(day: bigint): string {
  return new Date(Number(day) * DAY_MS).toISOString().slice(0, 10);
}

function compareGroups(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length; index++) {
    if (a[index]! !== b[index]!) return a[index]! < b[index]! ? -1 : 1;
  }
  return 0;
}
