// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task nightly`: what takes longer than a gate may. Every row of the scorecard, the proof that
 * each finds the mistake it is there for, what several serving threads must do as well as one, the
 * renderer's tests and the sweeps.
 *
 * @module
 */

import { executableUnderTest } from "./executable_under_test.ts";
import { runDeno, runSteps } from "./gate_steps.ts";
import { runTests } from "./run_tests.ts";
import { SUITES } from "./suites.ts";

const log = (line: string) => console.error(line);
let executable: string | undefined;

const isFine = await runSteps([
  {
    name: "build",
    async run() {
      executable = (await executableUnderTest({ log }))?.path;
      return true;
    },
  },
  { name: "renderer", run: () => runTests({ suite: SUITES.render }) },
  { name: "sweeps", run: () => runTests({ suite: SUITES.nightly, executable }) },
  { name: "scorecard", run: () => runDeno(["task", "--quiet", "torture"]) },
  {
    name: "end to end with four serving threads",
    run: () => runTests({ suite: SUITES.e2e, executable, settings: { threads: 4 } }),
  },
  {
    name: "scorecard: four serving threads",
    run: () => runDeno(["task", "--quiet", "torture", "--gate", "--threads=4"]),
  },
  {
    name: "end to end without quick calls",
    run: () => runTests({ suite: SUITES.e2e, executable, settings: { quickCalls: "off" } }),
  },
  {
    name: "scorecard: without quick calls",
    run: () => runDeno(["task", "--quiet", "torture", "--gate", "--quick-calls=off"]),
  },
  { name: "seeded bugs", run: () => runDeno(["task", "--quiet", "torture", "--seeded-bugs"]) },
]);
Deno.exitCode = isFine ? 0 : 1;
