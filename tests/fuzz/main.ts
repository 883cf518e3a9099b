// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task fuzz`: fuzzes the executable and says which operations were reached, with what statuses,
 * which bodies are the slowest, and what does not hold.
 *
 * @module
 */

import { Command, InvalidArgumentError } from "commander";
import { buildExecutable } from "../../build/executable.ts";
import type { FuzzReport } from "./run_fuzz.ts";
import type { SearchReport } from "./slow_bodies/search.ts";

/** Bodies that are searched for slow ones, for each case. */
const SLOW_SHARE = 0.03;
/** Most of the minutes that were given, after those. */
const SLOW_MINUTES_SHARE = 0.25;

interface Options {
  readonly cases: number;
  readonly seed: number;
  readonly minutes?: number;
}

async function fuzz({ cases, seed, minutes }: Options): Promise<void> {
  if (Deno.env.get("TOLLGATE_BINARY") === undefined) {
    const { path } = await buildExecutable({ log: (line) => console.error(line) });
    Deno.env.set("TOLLGATE_BINARY", path);
  }
  // The program that is driven is decided when this is loaded.
  const { runFuzz } = await import("./run_fuzz.ts");
  const { searchSlowBodies } = await import("./slow_bodies/search.ts");
  const startedAt = performance.now();
  const report = await runFuzz({
    seed,
    cases,
    ...(minutes === undefined ? {} : { withinMs: minutes * 60_000 }),
    note: (line) => console.error(`  ${line}`),
  });
  const slow = await searchSlowBodies({
    seed,
    bodies: Math.ceil(cases * SLOW_SHARE),
    ...(minutes === undefined ? {} : { withinMs: minutes * 60_000 * SLOW_MINUTES_SHARE }),
  });
  print(report, { seed, seconds: (performance.now() - startedAt) / 1_000 });
  printSlow(slow);
  const isFine = report.faults.length === 0 && report.tally.unreached.length === 0 &&
    slow.faults.length === 0;
  Deno.exitCode = isFine ? 0 : 1;
}

function print(
  { tally, faults, figures, cases, operations }: FuzzReport,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): void {
  console.log(tally.lines().join("\n"));
  console.log(`\n${figures.join("\n")}`);
  for (const fault of faults) console.log(`\nFAULT ${fault}`);
  if (tally.unreached.length > 0) console.log(`\nNot reached: ${tally.unreached.join(", ")}`);
  console.log(
    `\nReached ${tally.reached} of ${operations} operations in ${cases} cases within ` +
      `${seconds.toFixed(0)} s, ${faults.length} faults; seed ${seed}`,
  );
}

function printSlow({ bodies, figures, faults }: SearchReport): void {
  console.log(`\nSearched ${bodies} bodies for slow ones: ${figures.join("\n  ")}`);
  for (const fault of faults) console.log(`\nFAULT ${fault}`);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 0xffffffff) return number;
  throw new InvalidArgumentError("It must be an integer from 0 to 4294967295.");
}

try {
  await new Command("deno task fuzz")
    .description("Fuzz every operation of the published API document, and the bytes of clients.")
    .option("--cases <number>", "how many requests", wholeNumber, 10_000)
    .option(
      "--seed <number>",
      "repeat what that seed decided; by default a random one",
      wholeNumber,
      crypto.getRandomValues(new Uint32Array(1))[0]!,
    )
    .option("--minutes <number>", "end after so long", wholeNumber)
    .action(fuzz)
    .parseAsync(Deno.args, { from: "user" });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}
