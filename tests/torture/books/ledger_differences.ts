/**
 * What the program itself finds when it adds up its books.
 *
 * @module
 */

import { runTollgate } from "../../support/executable.ts";

/**
 * What `ledger verify` says, a sentence each.
 *
 * @param env Says where the database is, if it is no file of the data dir.
 */
export async function ledgerDifferences(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const done = await runTollgate(["ledger", "verify", "--data-dir", dataDir, "--json"], { env });
  // It exits with 1 when there are differences, and prints them all the same.
  if (!done.stdout.startsWith("{")) {
    throw new Error(`Cannot read what ledger verify says: ${done.stderr}${done.stdout}`);
  }
  const { differences } = JSON.parse(done.stdout);
  return differences.map((one: unknown) => `ledger verify: ${JSON.stringify(one)}`);
}
