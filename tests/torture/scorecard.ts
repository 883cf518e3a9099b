/**
 * Finds the rows of the scorecard: every file in `rows/`.
 *
 * @module
 */

import type { ScorecardRow } from "./row.ts";

/**
 * Those that the gate runs: what becomes of money, calls and films when the program is killed, and of
 * what several nodes share. Those that take longest come first.
 */
export const GATE_ROWS: readonly string[] = [
  ...["N13", "N9", "N4", "N8", "N2", "N1", "N3", "N11", "N6", "N7", "N10", "N5", "N12"],
  ...["R1", "R2", "R3", "R12", "R13", "R14", "R15", "R16", "R17", "D1"],
];

/**
 * Those that the gate runs with several serving threads: money, crashes and limits of calls, of which
 * each thread decides by itself. What films and files are about is the main thread's, as ever; R19
 * asks that all know at once of what one attempt has met, and serves in one thread always.
 */
export const THREADS_ROWS: readonly string[] = [
  ...["R12", "R13", "R14", "R15", "R18", "D1"],
];

const FOLDER = new URL("./rows/", import.meta.url);

/** Ids of all rows, in the order of the table. */
export async function rowIds(): Promise<readonly string[]> {
  return (await rowFiles()).map(({ id }) => id);
}

/**
 * The row of that id. Only its own file is loaded.
 *
 * @throws {Error} when there is no such row or its file does not export it.
 */
export async function loadRow(id: string): Promise<ScorecardRow> {
  const file = (await rowFiles()).find((one) => one.id === id);
  if (file === undefined) {
    throw new Error(`Cannot find the row ${id}: there is ${(await rowIds()).join(", ")}`);
  }
  const { row } = await import(new URL(file.name, FOLDER).href) as { row?: ScorecardRow };
  if (row?.id !== id) {
    throw new Error(`Cannot load the row ${id}: rows/${file.name} must export it as 'row'`);
  }
  return row;
}

interface RowFile {
  readonly id: string;
  readonly name: string;
}

async function rowFiles(): Promise<readonly RowFile[]> {
  const files: RowFile[] = [];
  for await (const { name, isFile } of Deno.readDir(FOLDER)) {
    const id = /^([a-z]\d+)_.*\.ts$/.exec(name)?.[1];
    if (isFile && id !== undefined) files.push({ id: id.toUpperCase(), name });
  }
  return files.sort((one, other) => orderOf(one.id) - orderOf(other.id));
}

/** R1, R2, … R28, then rows of other letters. */
function orderOf(id: string): number {
  return (id.startsWith("R") ? 0 : 1_000 * id.charCodeAt(0)) + Number(id.slice(1));
}
