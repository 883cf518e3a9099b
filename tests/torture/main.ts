// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task torture`: runs the scorecard against the executable and says of every row what was
 * tried, the figures, and whether it passes.
 *
 * @module
 */

import { Command, InvalidArgumentError, Option } from "commander";
import { executableUnderTest } from "../../build/executable_under_test.ts";
import { flagsOf, type TestedSettings } from "../../build/tested_settings.ts";
import { aboutRun } from "./about_run.ts";
import { inParallel } from "./in_parallel.ts";
import { faultsOf, markdownTable, resultLine, type RowResult, verdictOf } from "./report.ts";
import type { ScorecardRow } from "./row.ts";
import { endRunningRows, type RowEnd, runRowProcess } from "./row_process.ts";
import { GATE_ROWS, loadRow, rowIds, THREADS_ROWS } from "./scorecard.ts";
import { type TortureSize, tortureSize } from "./size.ts";
import { buildTestExecutable } from "./test_build/build_test_executable.ts";
import type { SourcePatch } from "./test_build/source_patch.ts";
import { missingTools } from "./tools.ts";

const WITHIN_MS = { commit: 5 * 60_000, full: 60 * 60_000 };

interface Options {
  readonly full?: boolean;
  readonly only?: readonly string[];
  readonly gate?: boolean;
  readonly threads?: number;
  readonly quickCalls?: "off";
  readonly buildOnly?: boolean;
  readonly jobs?: number;
  readonly seed: number;
  readonly seededBugs?: boolean;
  readonly markdown?: string;
  readonly minutes?: number;
}

interface Run {
  readonly seed: number;
  readonly size: TortureSize;
  readonly settings: TestedSettings;
  /** `dist/tollgate`; `undefined` where none can be built, and the source stands in. */
  readonly executable: string | undefined;
  /** A later version of it, where the row has one. */
  readonly later?: string | undefined;
}

async function torture(options: Options): Promise<void> {
  const size = tortureSize(options.full === true ? "full" : "commit");
  // The row runs in a process of its own.
  if (options.minutes !== undefined) Deno.env.set("TORTURE_SOAK_MINUTES", `${options.minutes}`);
  const { seed, threads, quickCalls } = options;
  const settings = { threads, quickCalls };
  const run: Run = { seed, size, settings, executable: await executable() };
  const ids = await idsOf(options);
  if (options.buildOnly === true) return await buildFor(ids);
  const about = await aboutRun({ ...run, isFromSource: run.executable === undefined });
  console.log(`${about.join("\n")}\n`);
  const isFine = options.seededBugs === true
    ? await provesBugsFound(ids, run)
    : await passesScorecard(ids, run, {
      jobs: options.jobs ?? 1,
      about,
      markdown: options.markdown,
    });
  Deno.exitCode = isFine ? 0 : 1;
}

async function executable(): Promise<string | undefined> {
  return Deno.env.get("TOLLGATE_BINARY") ?? (await executableUnderTest({ log }))?.path;
}

/** Builds what the rows drive besides the executable. */
async function buildFor(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await buildsOf(await loadRow(id), undefined);
  }
}

async function passesScorecard(
  ids: readonly string[],
  run: Run,
  { jobs, about, markdown }: {
    readonly jobs: number;
    readonly about: readonly string[];
    readonly markdown?: string | undefined;
  },
): Promise<boolean> {
  const results: RowResult[] = [];
  await inParallel([...ids.entries()], {
    workers: jobs,
    async work([at, id]) {
      const result = await resultOf(id, run);
      results[at] = result;
      console.log(resultLine(result, run.size));
      for (const line of faultLines(result, run)) console.log(line);
    },
  });
  const table = markdownTable(results, run.size);
  console.log(`\n${table}\n`);
  // Said once more, for whoever reads the end of a long log.
  for (const result of results) {
    const faults = faultLines(result, run);
    if (faults.length > 0) console.log(`${result.id} ${result.title}\n${faults.join("\n")}\n`);
  }
  console.log(totals(results));
  if (markdown !== undefined) {
    await Deno.writeTextFile(markdown, `${about.join("  \n")}\n\n${table}\n\n${totals(results)}\n`);
  }
  // As in the suite: in CI a tool that is missing is a failure and no skip.
  const failing = Deno.env.get("CI") === "true" ? ["fail", "skip"] : ["fail"];
  return results.every(({ verdict }) => !failing.includes(verdict));
}

/** What a failed row has found, and how to see it again. */
function faultLines(result: RowResult, run: Run): readonly string[] {
  if (result.verdict !== "fail") return [];
  const replay = `deno task torture --only ${result.id} --seed ${run.seed}${flagOf(run)}`;
  return [...faultsOf(result.end, run.size), `replay: ${replay}`].map((line) => `     ${line}`);
}

/** A row that cannot even be loaded or built fails, and keeps no other from running. */
async function resultOf(id: string, run: Run): Promise<RowResult> {
  try {
    return await runRow(await loadRow(id), run);
  } catch (caught) {
    const error = caught instanceof Error ? caught.message : String(caught);
    const end = { finding: undefined, error, milliseconds: 0 };
    return { id, title: "cannot be run", end, verdict: "fail" };
  }
}

async function runRow(row: ScorecardRow, run: Run): Promise<RowResult> {
  const { id, title } = row;
  const needs = (await missingTools(row.tools ?? [])).join(", ");
  if (needs !== "") return { id, title, verdict: "skip", needs };
  const end = await runTwiceOn(row, { ...run, ...await buildsOf(row, run.executable) });
  return { id, title, end, verdict: verdictOf(end, run.size) };
}

/** What a row drives, with a mistake in it where one is to be found. */
async function buildsOf(
  { testBuild = [], laterBuild = [] }: ScorecardRow,
  executable: string | undefined,
  mistakes: readonly SourcePatch[] = [],
): Promise<Pick<Run, "executable" | "later">> {
  const patches = [...testBuild, ...mistakes];
  return {
    executable: patches.length === 0 ? executable : await buildTestExecutable(patches, { log }),
    later: laterBuild.length === 0
      ? undefined
      : await buildTestExecutable([...patches, ...laterBuild], { log }),
  };
}

/**
 * A row that ends by an error of its own, a connection lost on a busy machine say, has found
 * nothing: at commit size it has a second try. What a row finds is never tried again.
 */
async function runTwiceOn(row: ScorecardRow, run: Run): Promise<RowEnd> {
  const end = await runOn(row, run);
  if (end.finding !== undefined || run.size.name !== "commit") return end;
  log(`${row.id} ended by an error, not by a finding: it has a second try`);
  return await runOn(row, run);
}

/** Each row must fail on a build that has the mistake it is there to find. */
async function provesBugsFound(ids: readonly string[], run: Run): Promise<boolean> {
  const missed: string[] = [];
  for (const id of ids) {
    const row = await loadRow(id);
    const { title, seededBug } = row;
    const needs = (await missingTools(row.tools ?? [])).join(", ");
    if (needs !== "") {
      console.log(`skip ${id} ${title}: needs ${needs}`);
      continue;
    }
    const builds = await buildsOf(row, undefined, [seededBug]);
    const end = await runOn(row, { ...run, ...builds });
    // A row that ended by an error may just have found nothing to drive.
    const isFound = end.finding !== undefined && verdictOf(end, run.size) === "fail";
    if (!isFound) missed.push(id);
    console.log(
      `${isFound ? "found" : "MISSED"} ${id} ${title}: ${seededBug.says}` +
        `\n     ${faultsOf(end, run.size)[0] ?? "it passes"}`,
    );
  }
  console.log(`\n${ids.length - missed.length} of ${ids.length} seeded bugs found or skipped`);
  return missed.length === 0;
}

function runOn(
  { id, withinMs }: ScorecardRow,
  { seed, size, settings, executable, later }: Run,
): Promise<RowEnd> {
  return runRowProcess({
    ...{ id, seed, size: size.name, settings, executable, later },
    withinMs: withinMs ?? WITHIN_MS[size.name],
  });
}

function totals(results: readonly RowResult[]): string {
  const count = (verdict: string) => results.filter((one) => one.verdict === verdict).length;
  return `${count("pass")} rows pass, ${count("fail")} fail, ${count("skip")} skipped`;
}

function flagOf({ size, settings }: Run): string {
  return (size.name === "full" ? " --full" : "") + flagsOf(settings);
}

async function idsOf({ only, gate, threads }: Options): Promise<readonly string[]> {
  if (gate === true) return threads === undefined ? GATE_ROWS : THREADS_ROWS;
  const ids = await rowIds();
  const unknown = only?.filter((id) => !ids.includes(id)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`Cannot run ${unknown.join(", ")}: there is ${ids.join(", ")}`);
  }
  return only ?? ids;
}

function log(line: string): void {
  console.error(line);
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff) return seed;
  throw new InvalidArgumentError("It must be an integer from 0 to 4294967295.");
}

/** A number of rows or of threads. */
function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 32) return count;
  throw new InvalidArgumentError("It must be an integer from 1 to 32.");
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 24 * 60) return minutes;
  throw new InvalidArgumentError("It must be a number of minutes, at most a day's.");
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    endRunningRows();
    Deno.exit(1);
  });
}
try {
  await new Command("deno task torture")
    .description("Run the reliability scorecard against dist/tollgate.")
    .option("--full", "the sizes of the scorecard; times count too")
    .addOption(
      new Option("--only <rows>", "some rows: R12,R13")
        .argParser((text) => text.toUpperCase().split(",")),
    )
    .option("--gate", "the rows of the gate: money and crashes, and limits with --threads")
    .addOption(
      new Option("--jobs <number>", "rows at a time, which makes their times worse")
        .argParser(readCount),
    )
    .addOption(
      new Option("--threads <number>", "the program serves in so many threads")
        .argParser(readCount),
    )
    .addOption(
      new Option("--quick-calls <how>", "off: every call goes the general way").choices(["off"]),
    )
    .option("--build-only", "only build what the rows drive")
    .addOption(
      new Option("--seed <number>", "repeat what that seed decided").argParser(readSeed)
        .default(crypto.getRandomValues(new Uint32Array(1))[0]!, "a random one"),
    )
    .addOption(
      new Option("--minutes <number>", "how long R28 and N14 go on").argParser(readMinutes),
    )
    .option("--seeded-bugs", "show that each row fails on a build with a mistake in it")
    .option("--markdown <file>", "also write the table to a file")
    .action(torture)
    .parseAsync(Deno.args, { from: "user" });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}
