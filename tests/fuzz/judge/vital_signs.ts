/**
 * What a process has taken from the machine, and what is in its tables.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { lookAtProcess } from "../../torture/process_watch.ts";

export interface VitalSigns {
  readonly memoryMb: number;
  readonly openFiles: number;
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Looks at a process and the database in its data dir. */
export async function vitalSigns(
  { pid, dataDir }: { readonly pid: number; readonly dataDir: string },
): Promise<VitalSigns> {
  const { memoryMb, openFiles } = await lookAtProcess(pid);
  return {
    memoryMb,
    openFiles,
    rows: countRows(dataDir),
  };
}

function countRows(dataDir: string): ReadonlyMap<string, number> {
  using database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  database.exec("PRAGMA busy_timeout = 5000");
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Map(tables.map(({ name }) => {
    const row = database.prepare(`SELECT count(*) AS n FROM "${name}"`).get();
    return [String(name), Number(row!.n)];
  }));
}
