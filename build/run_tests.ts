/**
 * Runs `deno test` over some of the tests and counts them.
 *
 * @module
 */

import { ROOT } from "./paths.ts";
import type { Suite } from "./suites.ts";
import { carrierOf, type TestedSettings } from "./tested_settings.ts";
import { readTestSummary, type TestCounts } from "./test_summary.ts";
import { denoCommand, PINNED_DENO } from "./toolchain.ts";

/** What `deno test` says of a test that has run for a quarter of an hour: it waits for what never comes. */
const HANGS = /^'(.+)' has been running for over \(16m/m;

/** What to run, and how. */
export interface TestRun {
  readonly suite: Suite;
  /** Files, folders or flags of `deno test` in place of the suite's own paths. */
  readonly args?: readonly string[];
  /** What the tests learn as `TOLLGATE_BINARY`; without it they drive the source. */
  readonly executable?: string | undefined;
  /** What the program is set to in tests that do not say it. */
  readonly settings?: TestedSettings;
}

/**
 * Shows the tests' output as it comes. Types are not checked, which is the work of `deno check`.
 *
 * @throws {Error} when the run ended before anything could be counted, or one of its tests hung.
 */
export async function runTests(run: TestRun): Promise<TestCounts> {
  const { suite, executable, settings = {} } = run;
  const args = run.args !== undefined && run.args.length > 0
    ? run.args
    : [...suite.ignored.map((path) => `--ignore=${path}`), ...suite.paths];
  const [program, ...before] = denoCommand(PINNED_DENO);
  const child = new Deno.Command(program, {
    args: [
      ...before,
      "test",
      ...["--quiet", "--no-check", "--config=tests/deno.json"],
      ...["--permission-set=test", "--parallel"],
      ...args,
    ],
    cwd: ROOT,
    env: {
      DENO_JOBS: String(suite.filesPerProcessor * navigator.hardwareConcurrency),
      ...(executable === undefined ? {} : { TOLLGATE_BINARY: executable }),
      ...carrierOf(settings),
      ...(Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : {}),
    },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  let output = "";
  let hanging: string | undefined;
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true });
    await Deno.stdout.write(chunk);
    hanging = HANGS.exec(output)?.[1];
    if (hanging === undefined) continue;
    child.kill("SIGKILL");
    break;
  }
  const { success } = await child.status;
  if (hanging !== undefined) throw new Error(`The run was ended: "${hanging}" does not end`);
  const counts = readTestSummary(output);
  if (counts === undefined) throw new Error("Cannot count the tests: the run ended too early");
  // An error outside of a test, such as a file that cannot be loaded.
  return success || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}
