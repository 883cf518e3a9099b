// deno-lint-ignore-file no-console -- what a row notes is for the person who waits

/**
 * Runs one row in a process of its own: `run_row.ts ID SEED SIZE FOLDER`. The program that it drives
 * is named by `TOLLGATE_BINARY`, a later version of it by `TOLLGATE_LATER_BINARY`. What it found is written to `FOLDER/finding.json`.
 *
 * @module
 */

import { SeededRandom } from "../support/seeded_random.ts";
import { loadRow } from "./scorecard.ts";
import { tortureSize } from "./size.ts";

const [id, seed, size, folder] = Deno.args as [string, string, "commit" | "full", string];
const row = await loadRow(id);
const own = `${folder}/row`;
await Deno.mkdir(own);
const finding = await row.run({
  seed: Number(seed),
  size: tortureSize(size),
  random: new SeededRandom(Number(seed), id),
  later: Deno.env.get("TOLLGATE_LATER_BINARY"),
  folder: own,
  note: (line) => console.error(`  ${line}`),
});
await Deno.writeTextFile(`${folder}/finding.json`, JSON.stringify(finding));
// Whatever a row has left open must not keep it from ending.
Deno.exit(0);
