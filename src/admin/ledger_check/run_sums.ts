/**
 * What the calls of a run come to in every table of sums, for its seal.
 *
 * @module
 */

import { hourOf } from "../../domain/budgets.ts";
import type { ClosedCall } from "../../domain/call.ts";
import type { SealDocument, SealedSum } from "../../domain/seal.ts";
import { HOURLY_TABLES, type HourlyTable } from "../../storage/ports/sums.ts";
import { type Share, shareOf } from "./hourly_sums.ts";

interface RunSum {
  readonly hour: number;
  readonly subject: readonly string[];
  readonly figures: bigint[];
  readonly least: bigint[];
}

/** Sums of a run's calls. */
export class RunSums {
  readonly #tables: ReadonlyMap<HourlyTable, Map<string, RunSum>> = new Map(
    (Object.keys(HOURLY_TABLES) as HourlyTable[]).map((table) => [table, new Map()]),
  );

  add(call: ClosedCall): void {
    const hour = hourOf(call.closedAt);
    for (const [table, sums] of this.#tables) {
      const share = shareOf(table, call);
      if (share === undefined) continue;
      const name = JSON.stringify([hour, share.subject]);
      const sum = sums.get(name);
      if (sum === undefined) {
        const { subject, figures, least } = share;
        sums.set(name, { hour, subject, figures: [...figures], least: [...least] });
        continue;
      }
      for (const [index, figure] of share.figures.entries()) {
        sum.figures[index]! += figure;
        sum.least[index]! += share.least[index]!;
      }
    }
  }

  /** As a seal states them. */
  stated(): SealDocument["sums"] {
    return Object.fromEntries(
      [...this.#tables].map(([table, sums]) => [table, [...sums.values()].map(statedSum)]),
    );
  }
}

function statedSum({ hour, subject, figures, least }: RunSum): SealedSum {
  const isSame = figures.every((figure, index) => figure === least[index]);
  const stated = { hour, subject, figures: figures.map(String) };
  return isSame ? stated : { ...stated, least: least.map(String) };
}

/** What a seal states of one table. */
export function sealedShares(
  sums: readonly SealedSum[],
): readonly { readonly hour: number; readonly share: Share }[] {
  return sums.map(({ hour, subject, figures, least = figures }) => ({
    hour,
    share: { subject, figures: figures.map(BigInt), least: least.map(BigInt) },
  }));
}
