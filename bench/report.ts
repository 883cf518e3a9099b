/**
 * Prints findings as Markdown, so that they can be pasted where they are kept.
 *
 * @module
 */

import type { Findings, Row, Target } from "./bench_run.ts";

/** A scenario's table and notes. */
export function formatFindings({ title, rows, notes }: Findings): string {
  return [`### ${title}`, formatTable(rows), ...notes].join("\n\n") + "\n";
}

/** Every figure to reach with what was measured. */
export function formatTargets(targets: readonly Target[]): string {
  const hasAim = targets.some(({ aim }) => aim !== undefined);
  const hasBefore = targets.some(({ before }) => before !== undefined);
  const withUnit = (value: number | undefined, unit: string) =>
    value === undefined ? "" : `${formatNumber(value)} ${unit}`.trim();
  const rows = targets.map((target) => ({
    "figure to reach": target.what,
    "wanted": wanted(target),
    ...hasAim && { "aim": withUnit(target.aim, target.unit) },
    ...hasBefore && { "before": withUnit(target.before, target.unit) },
    "measured": withUnit(target.measured, target.unit),
    "": outcome(target),
  }));
  return `### Figures to reach\n\n${formatTable(rows)}\n`;
}

function wanted(target: Target): string {
  const limit = "atMost" in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
  return `${limit} ${target.unit}`.trim();
}

function outcome(target: Target): string {
  const { measured, unit } = target;
  if (Number.isNaN(measured)) return "not measured";
  const excess = "atMost" in target ? measured - target.atMost : target.atLeast - measured;
  return excess <= 0 ? "reached" : `missed by ${formatNumber(excess)} ${unit}`.trim();
}

function formatTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [
    names,
    ...rows.map((row) => names.map((name) => formatCell(row[name] ?? ""))),
  ];
  const widths = names.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}

function formatCell(cell: string | number): string {
  return typeof cell === "string" ? cell : formatNumber(cell);
}

/** Three significant digits, whole numbers in full. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
