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
  const rows = targets.map((target) => ({
    "figure to reach": target.what,
    "at most": `${target.atMost} ${target.unit}`.trim(),
    "measured": `${formatNumber(target.measured)} ${target.unit}`.trim(),
    "": outcome(target),
  }));
  return `### Figures to reach\n\n${formatTable(rows)}\n`;
}

function outcome({ measured, atMost, unit }: Target): string {
  if (measured <= atMost) return "reached";
  if (Number.isNaN(measured)) return "not measured";
  return `missed by ${formatNumber(measured - atMost)} ${unit}`.trim();
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
