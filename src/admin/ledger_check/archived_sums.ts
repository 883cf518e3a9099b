/**
 * Sums of archived calls: what the checkpoints state of them, and what is kept by day.
 *
 * @module
 */

import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { HOURLY_TABLES, MOST_SUMMED, type SumStore } from "../../storage/ports/sums.ts";
import type { Differences } from "./difference.ts";

const FIGURES = HOURLY_TABLES.usage_hourly.figures;
/** What is stated of all projects together, and of each. */
const OF_ALL = ["calls", "cost_e8", "sale_e8"] as const;
const OF_EACH = ["charged_e8", "loss_e8"] as const;

type OfEach = typeof OF_EACH[number];

/** What all archives state together. */
export class ArchivedSums {
  readonly all = new Map<typeof OF_ALL[number], bigint>();
  readonly projects = new Map<string, { [name in OfEach]: bigint }>();

  add({ calls, cost_e8, sale_e8, projects }: CheckpointDocument): void {
    for (const [name, figure] of Object.entries({ calls, cost_e8, sale_e8 })) {
      const column = name as typeof OF_ALL[number];
      this.all.set(column, (this.all.get(column) ?? 0n) + BigInt(figure));
    }
    for (const [id, { charged_e8, lost_e8 }] of Object.entries(projects)) {
      const { charged_e8: charged, loss_e8: loss } = this.projects.get(id) ??
        { charged_e8: 0n, loss_e8: 0n };
      this.projects.set(id, {
        charged_e8: charged + BigInt(charged_e8),
        loss_e8: loss + BigInt(lost_e8),
      });
    }
  }
}

/** What is compared with it. */
export interface KeptSums {
  readonly sums: Pick<SumStore, "nextDay">;
  /** The first hour that is not archived. */
  readonly beforeHour: number;
  /** Figures by project of calls that are not archived, and closed before that hour. */
  readonly late: ReadonlyMap<string, readonly bigint[]>;
  readonly differences: Differences;
  /** Waits between two days. */
  readonly pause: () => Promise<void>;
}

/** Compares them; gives how many sums of days there are. */
export async function compareArchived(
  archived: ArchivedSums,
  { sums, beforeHour, late, differences, pause }: KeptSums,
): Promise<number> {
  const kept = new Map<string, bigint[]>();
  let rows = 0;
  const add = (projectId: string, figures: readonly bigint[], sign: bigint) => {
    const known = kept.get(projectId) ?? FIGURES.map(() => 0n);
    kept.set(projectId, known.map((figure, index) => figure + sign * figures[index]!));
  };
  for (const [projectId, figures] of late) add(projectId, figures, -1n);
  for (let day = -1;;) {
    const next = await sums.nextDay(day, beforeHour / 24);
    if (next === undefined) break;
    for (const { projectId, figures } of next.projects) {
      // What no column holds has stayed at the largest: nothing follows from it.
      if (figures.some((figure) => figure >= MOST_SUMMED)) return rows;
      add(projectId, figures, 1n);
    }
    rows += next.projects.length;
    day = next.day;
    await pause();
  }
  const before = new Date(beforeHour * 3_600_000).toISOString().slice(0, 10);
  const compare = (
    { whose, column, expected, found }: {
      readonly whose: string;
      readonly column: typeof FIGURES[number];
      readonly expected: bigint;
      readonly found: bigint;
    },
  ) => {
    if (expected === found) return;
    differences.add({
      table: "usage_daily",
      id: `${whose} before ${before}`,
      column,
      expected: String(expected),
      found: String(found),
      detail: "the archives state that their calls add up to this",
    });
  };
  const figureOf = (figures: readonly bigint[] | undefined, column: typeof FIGURES[number]) =>
    figures?.[FIGURES.indexOf(column)] ?? 0n;
  for (const projectId of new Set([...archived.projects.keys(), ...kept.keys()])) {
    for (const column of OF_EACH) {
      const expected = archived.projects.get(projectId)?.[column] ?? 0n;
      const found = figureOf(kept.get(projectId), column);
      compare({ whose: projectId, column, expected, found });
    }
  }
  for (const column of OF_ALL) {
    let found = 0n;
    for (const figures of kept.values()) found += figureOf(figures, column);
    compare({ whose: "all projects", column, expected: archived.all.get(column) ?? 0n, found });
  }
  return rows;
}
