/**
 * Sums of closed calls as they are stored, for whoever compares them with the calls.
 *
 * @module
 */

import { DETAIL_FIGURES } from "../../domain/call_figures.ts";

/** The tables of hourly sums: whom or what a row is about behind its hour, and its figures. */
export const HOURLY_TABLES = {
  usage_hourly: {
    subject: ["project_id", "model", "provider", "route"],
    figures: [
      "calls",
      "prompt_tokens",
      "completion_tokens",
      "cost_e8",
      "sale_e8",
      "charged_e8",
      "loss_e8",
    ],
  },
  detail_hourly: {
    subject: ["project_id", "key_id", "capability", "model", "provider", "route"],
    figures: [
      "calls",
      "prompt_tokens",
      "completion_tokens",
      "cost_e8",
      "sale_e8",
      "charged_e8",
      "loss_e8",
      ...DETAIL_FIGURES,
    ],
  },
  spend_hourly: { subject: ["project_id", "key_id"], figures: ["spent_e8"] },
} as const;

/** One of {@linkcode HOURLY_TABLES}. */
export type HourlyTable = keyof typeof HOURLY_TABLES;

/** The largest figure that a row holds: a sum that would be more stays at this. */
export const MOST_SUMMED = (1n << 63n) - 1n;

/** A row's key, in whose order rows come: texts by their bytes in UTF-8. */
export interface SumKey {
  /** Hours since the epoch. */
  readonly hour: number;
  /** In the order of the table's `subject`. */
  readonly subject: readonly string[];
}

/** A row of hourly sums. */
export interface SumRow extends SumKey {
  /** In the order of the table's `figures`. */
  readonly figures: readonly bigint[];
}

/** Which rows. */
export interface SumSlice {
  readonly table: HourlyTable;
  /** The first hour, since the epoch. */
  readonly fromHour: number;
  /** All if absent. */
  readonly beforeHour?: number;
  /** Only rows behind this one. */
  readonly after?: SumKey | undefined;
  readonly limit: number;
}

/** What is kept of a day whose calls are archived, by project. */
export interface ArchivedDay {
  /** Days since the epoch. */
  readonly day: number;
  /** Figures are those of `usage_hourly`. */
  readonly projects: readonly { readonly projectId: string; readonly figures: readonly bigint[] }[];
}
