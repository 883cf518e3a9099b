// deno-lint-ignore-file no-console -- a gate talks to the person who waits for it

/**
 * `deno task ok`: the whole gate. It ends at the first step that fails.
 *
 * The executables are built while types are checked, each of which keeps one processor busy.
 *
 * @module
 */

import { executableUnderTest } from "./executable_under_test.ts";
import { runDeno, runSteps } from "./gate_steps.ts";
import { hasPassed, notePassed } from "./renderer_record.ts";
import { runTests } from "./run_tests.ts";
import { SUITES } from "./suites.ts";

const TORTURE = ["task", "--quiet", "torture", "--gate"];
/** No time counts in them, and they wait more than they work. */
const ROWS_AT_A_TIME = 3;

const log = (line: string) => console.error(line);
let building: ReturnType<typeof build> | undefined;

const isFine = await runSteps([
  { name: "format", run: () => runDeno(["fmt", "--check"]) },
  { name: "lint", run: () => runDeno(["lint"]) },
  {
    name: "types",
    run() {
      building = build();
      // What goes wrong with it is the step "build" to say.
      building.catch(() => {});
      return runDeno(["check", "--quiet", "--config=tests/deno.json", "."]);
    },
  },
  { name: "unit tests", run: () => runTests({ suite: SUITES.unit }) },
  {
    name: "renderer",
    async run() {
      if (await hasPassed()) {
        console.log(
          "Its tests have passed for it as it is: render/README.md says how that is known",
        );
        return true;
      }
      const counts = await runTests({ suite: SUITES.render });
      if (counts.failed === 0) await notePassed();
      return counts;
    },
  },
  { name: "build", run: async () => (await building!).isReady },
  {
    name: "end to end",
    run: async () => runTests({ suite: SUITES.e2e, executable: (await building!).executable }),
  },
  {
    name: "scorecard: money and crashes",
    run: () => runDeno([...TORTURE, `--jobs=${ROWS_AT_A_TIME}`]),
  },
  {
    name: "scorecard: serving threads",
    run: () => runDeno([...TORTURE, `--jobs=${ROWS_AT_A_TIME}`, "--threads=2"]),
  },
], { beside: () => building });
Deno.exitCode = isFine ? 0 : 1;

async function build(): Promise<{ executable: string | undefined; isReady: boolean }> {
  const executable = await executableUnderTest({ log });
  return { executable: executable?.path, isReady: await runDeno([...TORTURE, "--build-only"]) };
}
