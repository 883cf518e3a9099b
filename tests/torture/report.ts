/**
 * The scorecard as text: a line per row while it runs, a table at the end.
 *
 * @module
 */

import type { Figure } from "./row_finding.ts";
import type { RowEnd } from "./row_process.ts";
import type { TortureSize } from "./size.ts";

/** How a row ended. */
export type RowResult = {
  readonly id: string;
  readonly title: string;
  readonly end: RowEnd;
  readonly verdict: "pass" | "fail";
} | {
  readonly id: string;
  readonly title: string;
  readonly verdict: "skip";
  readonly needs: string;
};

/** Whether a row passes at this size. */
export function verdictOf({ finding }: RowEnd, size: TortureSize): "pass" | "fail" {
  if (finding === undefined || finding.brokenCount > 0) return "fail";
  return finding.figures.every((figure) => isFine(figure, size)) ? "pass" : "fail";
}

/** What is wrong, a sentence each. */
export function faultsOf({ finding, error }: RowEnd, size: TortureSize): readonly string[] {
  if (finding === undefined) return [error!];
  const { broken, brokenCount, figures } = finding;
  const missed = figures.filter((figure) => !isFine(figure, size)).map(({ name, value, target }) =>
    `${name} is ${value} and should be ${target}`
  );
  const more = brokenCount - broken.length;
  return [...broken, ...more > 0 ? [`and ${more} more`] : [], ...missed];
}

/** One line about a row that has ended. */
export function resultLine(result: RowResult, size: TortureSize): string {
  if (result.verdict === "skip") return `skip ${result.id} ${result.title}: needs ${result.needs}`;
  const { id, title, end, verdict } = result;
  const words = end.finding === undefined ? "" : `: ${summary(end, size)}`;
  return `${verdict} ${id} ${title} (${(end.milliseconds / 1_000).toFixed(1)} s)${words}`;
}

/** The whole scorecard as a Markdown table. */
export function markdownTable(results: readonly RowResult[], size: TortureSize): string {
  const lines = results.map((result) => {
    if (result.verdict === "skip") {
      return [result.id, result.title, "", `needs ${result.needs}`, "skip", ""];
    }
    const { id, title, end, verdict } = result;
    const figures = end.finding?.figures.map((figure) => figureWords(figure, size)).join("<br>") ??
      "";
    const seconds = `${(end.milliseconds / 1_000).toFixed(1)} s`;
    return [id, title, end.finding?.tried ?? "", figures, verdict, seconds];
  });
  const rows = [
    ["Row", "Scenario", "Tried", "Figures", "Verdict", "Took"],
    Array(6).fill("---"),
    ...lines,
  ];
  return rows.map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

function summary({ finding }: RowEnd, size: TortureSize): string {
  const { tried, figures } = finding!;
  return [tried, ...figures.map((figure) => figureWords(figure, size))].join("; ");
}

/** What does not count at this size is printed without what it should be. */
function figureWords(figure: Figure, size: TortureSize): string {
  const { name, value, target, isMet } = figure;
  const words = target === "" || !counts(figure, size)
    ? ""
    : ` (${isMet ? target : `missed: ${target}`})`;
  return `${name} ${value}${words}`;
}

function isFine(figure: Figure, size: TortureSize): boolean {
  return figure.isMet || !counts(figure, size);
}

function counts({ isTime }: Figure, { countsTimes }: TortureSize): boolean {
  return !isTime || countsTimes;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
