/**
 * What was used in the last days, by day and model, for whoever wants it at once: hours that are over
 * never change, so that they are added up once and the running hour alone is read again. What is not
 * added up yet is waited for a moment, and comes with the next look.
 *
 * @module
 */

import type { UsageQuery, UsageReport, UsageTotals } from "../storage/ports/usage.ts";

/** What sums are read with. */
export interface RecentUsageOptions {
  readonly report: (query: UsageQuery) => Promise<UsageReport>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves some milliseconds later. */
  readonly delay: (ms: number) => Promise<void>;
}

/** Sums by day and model. */
export interface RecentSums {
  /** In the order of days. */
  readonly lines: readonly UsageTotals[];
  /** The lines have every call that closed since then; milliseconds since the epoch. */
  readonly wholeSince: number;
  /** Whether that is all that was asked for. */
  readonly isWhole: boolean;
}

/** The most days that can be asked for. */
export const MOST_RECENT_DAYS = 92;
/** The longest that is waited for what is not added up yet. */
const WAIT_MS = 100;
/** Days that one report adds up. */
const DAYS_AT_ONCE = 5;
const REPORT_MS = 30_000;
/** Whose sums are kept, at most. */
const MOST_SUBJECTS = 100;
/** Calls that close in the last moment of an hour are in its sums by then. */
const SETTLED_AFTER_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Sums of closed hours: all of `from` to `until`. */
interface Known {
  from: number;
  until: number;
  readonly days: Map<string, readonly UsageTotals[]>;
  filling: Promise<void> | undefined;
}

export class RecentUsage {
  readonly #options: RecentUsageOptions;
  /** By project; the empty one is everybody. The last asked ones, oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(options: RecentUsageOptions) {
    this.#options = options;
  }

  /** The sums of so many days, today included (UTC); of one project, or of all. */
  async read(projectId: string | undefined, days: number): Promise<RecentSums> {
    const now = this.#options.now();
    const first = startOfDay(now) - (days - 1) * DAY_MS;
    const closed = Math.floor((now - SETTLED_AFTER_MS) / HOUR_MS) * HOUR_MS;
    const known = this.#subject(projectId ?? "", closed);
    forget(known, startOfDay(now) - MOST_RECENT_DAYS * DAY_MS);
    const live = this.#report(projectId, { fromMs: closed });
    if (known.until < closed || known.from > first) {
      known.filling ??= this.#fill(known, { projectId, first, closed }).finally(() => {
        known.filling = undefined;
      });
      // Who asks gets what there is; what went wrong is tried again with the next look.
      await Promise.race([known.filling.catch(() => {}), this.#options.delay(WAIT_MS)]);
    }
    const { lines } = await live;
    const dates = [...known.days.keys()].filter((day) => Date.parse(day) >= first).sort();
    // What is known up to an hour before leaves a gap.
    const wholeSince = known.until < closed ? closed : Math.max(first, known.from);
    return {
      lines: merged([...dates.flatMap((day) => known.days.get(day)!), ...lines]),
      wholeSince,
      isWhole: wholeSince === first,
    };
  }

  #subject(name: string, closed: number): Known {
    let known = this.#known.get(name);
    if (known === undefined) {
      const start = startOfDay(closed);
      known = { from: start, until: start, days: new Map(), filling: undefined };
    }
    this.#known.delete(name);
    this.#known.set(name, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_SUBJECTS) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  /** Adds the newest hours first, then days on days before. */
  async #fill(
    known: Known,
    { projectId, first, closed }: {
      readonly projectId: string | undefined;
      readonly first: number;
      readonly closed: number;
    },
  ): Promise<void> {
    while (known.until < closed) {
      // A day that was known in part is read again as far as it goes.
      const fromMs = startOfDay(known.until);
      const toMs = Math.min(closed, fromMs + DAYS_AT_ONCE * DAY_MS);
      if (!await this.#add(known, { projectId, fromMs, toMs })) return;
      known.until = toMs;
    }
    while (known.from > first) {
      const fromMs = Math.max(first, known.from - DAYS_AT_ONCE * DAY_MS);
      if (!await this.#add(known, { projectId, fromMs, toMs: known.from })) return;
      known.from = fromMs;
    }
  }

  /** Whether it was added up whole. */
  async #add(
    known: Known,
    { projectId, fromMs, toMs }: {
      readonly projectId: string | undefined;
      readonly fromMs: number;
      readonly toMs: number;
    },
  ): Promise<boolean> {
    if (fromMs >= toMs) return true;
    const { lines, cut } = await this.#report(projectId, { fromMs, toMs });
    if (cut !== undefined) return false;
    const days = Map.groupBy(lines, ({ day = "" }) => day);
    for (const [day, some] of days) known.days.set(day, some);
    return true;
  }

  #report(
    projectId: string | undefined,
    span: { readonly fromMs: number; readonly toMs?: number },
  ): Promise<UsageReport> {
    return this.#options.report({
      groupBy: ["model", "day"],
      withinMs: REPORT_MS,
      ...(projectId !== undefined && { projectId }),
      ...span,
    });
  }
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Days before the first that anybody may ask for. */
function forget(known: Known, before: number): void {
  if (known.from >= before) return;
  for (const day of known.days.keys()) if (Date.parse(day) < before) known.days.delete(day);
  known.from = before;
}

/** One line for each day and model: the running hour's are added to those of its day. */
function merged(lines: readonly UsageTotals[]): readonly UsageTotals[] {
  const sums = new Map<string, UsageTotals>();
  for (const line of lines) {
    const key = `${line.day}\0${line.model}`;
    const sum = sums.get(key);
    sums.set(
      key,
      sum === undefined ? line : {
        ...sum,
        calls: sum.calls + line.calls,
        promptTokens: sum.promptTokens + line.promptTokens,
        completionTokens: sum.completionTokens + line.completionTokens,
        costE8: sum.costE8 + line.costE8,
        saleE8: sum.saleE8 + line.saleE8,
        chargedE8: sum.chargedE8 + line.chargedE8,
        lossE8: sum.lossE8 + line.lossE8,
      },
    );
  }
  return [...sums.values()];
}
