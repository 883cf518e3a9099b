/**
 * How projects are printed.
 *
 * @module
 */

import type { ProjectRow } from "../../admin/accounts/projects.ts";
import type { LimitsJson } from "../../admin/accounts/bounds.ts";
import type { Column } from "../base/table.ts";
import { budgetsText, spendingFacts, spendState } from "./spending_output.ts";

/** The columns of `projects list`. */
export const PROJECT_COLUMNS: readonly Column<ProjectRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "BALANCE", value: (row) => row.unlimited ? "unlimited" : row.balance, align: "right" },
  { header: "HELD", value: ({ held }) => held, align: "right" },
  { header: "STATE", value: spendState },
  { header: "MODELS", value: ({ models }) => models.join(",") },
  { header: "LIMITS", value: ({ limits }) => limitsText(limits) },
  { header: "BUDGETS", value: budgetsText },
  { header: "KEPT", value: keptText, align: "right" },
  { header: "FILM QUOTA", value: (row) => ownVideoQuota(row) ?? "-", align: "right" },
];

/** A project, fact by fact. */
export function projectFacts(row: ProjectRow): readonly (readonly [string, string])[] {
  return [
    ["id", row.id],
    ["balance", `${row.balance} ${row.currency}${row.unlimited ? " (unlimited)" : ""}`],
    ["held", row.held],
    ...spendingFacts(row),
    ["models", row.models.join(",")],
    ["limits", limitsText(row.limits)],
    ["kept", keptText(row)],
    ["quotas", quotasText(row)],
  ];
}

/** What is kept of its answers, and at most would be: `3 KiB of 256 MiB`. */
function keptText({ kept }: ProjectRow): string {
  return `${sizeText(kept.bytes)} of ${boundText(kept.most_bytes)}`;
}

/** What its films may take where that is said of this project; `undefined` where it is not. */
function ownVideoQuota({ quotas: { video_bytes: films } }: ProjectRow): string | undefined {
  return films === undefined ? undefined : boundText(films);
}

/** Quotas of its own, such as `1 GiB of answers, 50 GB of films`; `-` for none. */
function quotasText(row: ProjectRow): string {
  const { kept_bytes: kept } = row.quotas;
  const films = ownVideoQuota(row);
  const parts = [
    ...(kept === undefined ? [] : [`${boundText(kept)} of answers`]),
    ...(films === undefined ? [] : [`${films} of films`]),
  ];
  return parts.length === 0 ? "-" : parts.join(", ");
}

const KIB = 1024;

const UNITS: readonly (readonly [unit: string, bytes: number])[] = [
  ...["TiB", "GiB", "MiB", "KiB"].map((unit, at) => [unit, KIB ** (4 - at)] as const),
  ...["TB", "GB", "MB", "kB"].map((unit, at) => [unit, 1000 ** (4 - at)] as const),
];

/** A bound as somebody has set it: in the unit that leaves the fewest of them, and nothing over. */
function boundText(bytes: number): string {
  const whole = UNITS.filter(([, unit]) => bytes > 0 && bytes % unit === 0)
    .toSorted(([, a], [, b]) => b - a);
  const [unit, size] = whole[0] ?? ["B", 1];
  return `${bytes / size} ${unit}`;
}

/** In whole KiB and MiB, nothing of it hidden by rounding. */
function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB ** 2 ? `${Math.ceil(bytes / KIB)} KiB` : `${Math.ceil(bytes / KIB ** 2)} MiB`;
}

const SHORT: { readonly [limit in keyof LimitsJson]-?: string } = {
  requests_per_minute: "requests/min",
  tokens_per_minute: "tokens/min",
  concurrent: "concurrent",
  open_video_tasks: "open videos",
};

/** Such as `600 requests/min, 100 concurrent`; `-` for none. */
export function limitsText(limits: LimitsJson): string {
  const parts = Object.entries(limits).map(([name, value]) =>
    `${value} ${SHORT[name as keyof LimitsJson]}`
  );
  return parts.length === 0 ? "-" : parts.join(", ");
}
