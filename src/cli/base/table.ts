/**
 * Tables and facts as text: aligned, narrow, safe to show.
 *
 * @module
 */

/** A column of a table. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number;
  /** Numbers stand right. Default: left. */
  readonly align?: "left" | "right";
}

/** A time of an answer as tables have it: to the second, UTC. */
export function timeText(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** How text may look. */
export interface TextStyle {
  readonly colors: boolean;
}

const GAP = "  ";
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Rows under headers; every line ends with a line break. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { colors }: TextStyle,
): string {
  const cells = rows.map((row) => columns.map(({ value }) => printable(String(value(row)))));
  const widths = columns.map(({ header }, index) =>
    Math.max(header.length, ...cells.map((line) => line[index]!.length))
  );
  const line = (texts: readonly string[]) =>
    texts.map((text, index) =>
      columns[index]!.align === "right"
        ? text.padStart(widths[index]!)
        : text.padEnd(widths[index]!)
    ).join(GAP).trimEnd();
  const head = line(columns.map(({ header }) => header));
  return [colors ? `\u001b[1m${head}\u001b[0m` : head, ...cells.map(line)].join("\n") + "\n";
}

/** What is told of one thing; a value of `null` is left out. */
export type Facts = readonly (readonly [name: string, value: string | null])[];

/** One fact per line, names aligned; every line ends with a line break. */
export function formatFacts(facts: Facts): string {
  const told = facts.filter((fact): fact is [string, string] => fact[1] !== null);
  const width = Math.max(0, ...told.map(([name]) => name.length));
  return told.map(([name, value]) => `${name.padEnd(width)}${GAP}${printable(value)}\n`).join("");
}

/** Text without characters that would move a terminal's cursor or hide what follows. */
export function printable(text: string): string {
  return text.replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
