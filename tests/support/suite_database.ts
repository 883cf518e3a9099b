/**
 * The database of every executable that a run starts, where `TOLLGATE_TEST_DATABASE_SERVER` names a
 * PostgreSQL server: one for each data dir, made when that is first used. Other tests then prove of a
 * server what they prove of a file.
 *
 * @module
 */

import { createHash } from "node:crypto";

const SERVER = Deno.env.get("TOLLGATE_TEST_DATABASE_SERVER");
const made = new Set<string>();

/** What the environment of a command says of it; nothing where no server is named. */
export function suiteDatabase(args: readonly string[]): Readonly<Record<string, string>> {
  const dataDir = args[args.indexOf("--data-dir") + 1];
  if (SERVER === undefined || !args.includes("--data-dir") || dataDir === undefined) return {};
  const name = `suite_${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  if (!made.has(name)) {
    made.add(name);
    // Another file of tests may have made it: then it says so, and is there.
    new Deno.Command("psql", { args: [`${SERVER}/postgres`, "-qc", `CREATE DATABASE ${name}`] })
      .outputSync();
  }
  return { TOLLGATE_DATABASE_URL: `${SERVER}/${name}` };
}
