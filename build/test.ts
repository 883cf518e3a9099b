// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task test`, `test:unit`, `test:e2e` and `test:render`: runs the tests of a
 * suite, or those of its files that are named; flags of `deno test` are passed on.
 *
 * The executable is built first where the suite needs it; that all tests of the renderer have
 * passed is noted. The last line is `N passed, N failed`.
 *
 * @module
 */

import { executableUnderTest } from "./executable_under_test.ts";
import { notePassed } from "./renderer_record.ts";
import { runTests } from "./run_tests.ts";
import { type SuiteName, SUITES } from "./suites.ts";
import { formatTestCounts } from "./test_summary.ts";

const [name, ...args] = Deno.args as [SuiteName, ...string[]];
try {
  const suite = SUITES[name];
  const executable = suite.needsExecutable
    ? await executableUnderTest({ log: (line) => console.error(line) })
    : undefined;
  if (executable !== undefined) {
    console.error(`Testing ${executable.path} (runtime ${executable.runtime})`);
  }
  const counts = await runTests({ suite, args, executable: executable?.path });
  const isWhole = args.length === 0 && counts.failed === 0;
  if (isWhole && (name === "render" || name === "all")) await notePassed();
  console.log(formatTestCounts(counts));
  Deno.exitCode = counts.failed > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log(formatTestCounts({ passed: 0, failed: 1, skipped: 0 }));
  Deno.exitCode = 1;
}
