/**
 * Sums of archived calls: what the checkpoints state of them, and what is kept by day.
 *
 * @module
 */

import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { type SumStore } from "../../storage/ports/storage.ts";
import { HOURLY_TABLES, MOST_SUMMED } from "../../storage/ports/sums.ts";
import type { Differences } from "../base/findings.ts";

const FIGURES = HOURLY_TABLES.usage_hourly.figures;
type Figure = typeof FIGURES[number];

/** What archives of every format state: of all projects together, and of each. */
const OF_ALL: readonly Figure[] = ["calls", "cost_e8", "sale_e8"];
const OF_EACH: readonly Figure[] = ["charged_e8", "loss_e8"];

/** What all archives state together. */
export class ArchivedSums {
  readonly #all = new Map<Figure, bigint>();
  readonly #projects = new Map<string, Map<Figure, bigint>>();
  #statesUsage = true;

  add({ calls, cost_e8, sale_e8, projects }: CheckpointDocument): void {
    for (const [figure, value] of Object.entries({ calls, cost_e8, sale_e8 })) {
      addTo(this.#all, figure as Figure, value);
    }
    for (const [id, { charged_e8, lost_e8, usage }] of Object.entries(projects)) {
      let known = this.#projects.get(id);
      if (known === undefined) this.#projects.set(id, known = new Map());
      for (const [figure, value] of Object.entries({ charged_e8, loss_e8: lost_e8, ...usage })) {
        addTo(known, figure as Figure, value);
      }
      if (usage === undefined) this.#statesUsage = false;
    }
  }

  /** What is stated of each project. */
  get ofEach(): readonly Figure[] {
    return this.#statesUsage ? FIGURES : OF_EACH;
  }

  projectIds(): Iterable<string> {
    return this.#projects.keys();
  }

  figureOf(projectId: string, figure: Figure): bigint {
    return this.#projects.get(projectId)?.get(figure) ?? 0n;
  }

  figureOfAll(figure: Figure): bigint {
    return this.#all.get(figure) ?? 0n;
  }
}

function addTo(sums: Map<Figure, bigint>, figure: Figure, value: string | number): void {
  sums.set(figure, (sums.get(figure) ?? 0n) + BigInt(value));
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
      readonly column: Figure;
      readonly expected: bigint;
      readonly found: bigint;
    },
  ) => {
    if (expected === found) return;
    differences.note(
      ["usage_daily", `${whose} before ${before}`],
      "the archives state that their calls add up to this",
      { column, expected, found },
    );
  };
  const figureOf = (figures: readonly bigint[] | undefined, column: Figure) =>
    figures?.[FIGURES.indexOf(column)] ?? 0n;
  for (const projectId of new Set([...archived.projectIds(), ...kept.keys()])) {
    for (const column of archived.ofEach) {
      const expected = archived.figureOf(projectId, column);
      const found = figureOf(kept.get(projectId), column);
      compare({ whose: projectId, column, expected, found });
    }
  }
  for (const column of OF_ALL) {
    let found = 0n;
    for (const figures of kept.values()) found += figureOf(figures, column);
    compare({ whose: "all projects", column, expected: archived.figureOfAll(column), found });
  }
  return rows;
}
