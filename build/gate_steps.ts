// deno-lint-ignore-file no-console -- a gate talks to the person who waits for it

/**
 * Steps one after the other, up to the first that fails, and the count of their tests.
 *
 * @module
 */

import { ROOT } from "./paths.ts";
import { formatTestCounts, type TestCounts } from "./test_summary.ts";
import { denoCommand, PINNED_DENO } from "./toolchain.ts";

/** One thing that must be fine. */
export interface GateStep {
  readonly name: string;
  /** Its tests, or whether it went well. An error is a failure. */
  run(): Promise<TestCounts | boolean>;
}

/**
 * Runs `steps` and ends with the plain line `N passed, N failed`: the tests of all of them, and a
 * failed step without tests as one.
 *
 * @returns whether all went well.
 */
export async function runSteps(
  steps: readonly GateStep[],
  { say = console.log, beside }: {
    readonly say?: (line: string) => void;
    /** What may still go on when a step has failed: nothing is said behind the last line. */
    readonly beside?: () => Promise<unknown> | undefined;
  } = {},
): Promise<boolean> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, run } of steps) {
    say(`== ${name}`);
    const startedAt = performance.now();
    const counts = asCounts(await run().catch((error) => reportError(error, say)));
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    say(`== ${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    if (counts.failed > 0) {
      say(`The step "${name}" failed`);
      break;
    }
  }
  await beside?.()?.catch(() => {
    // A step has failed already, or was the one to tell of it.
  });
  say(formatTestCounts(total));
  return total.failed === 0;
}

/** Runs Deno in the project's folder, its output shown; whether it went well. */
export async function runDeno(args: readonly string[]): Promise<boolean> {
  const [program, ...before] = denoCommand(PINNED_DENO);
  const { success } = await new Deno.Command(program, {
    args: [...before, ...args],
    cwd: ROOT,
    stdin: "null",
  }).spawn().status;
  return success;
}

function reportError(error: unknown, say: (line: string) => void): false {
  say(error instanceof Error ? error.message : String(error));
  return false;
}

function asCounts(end: TestCounts | boolean): TestCounts {
  return typeof end === "boolean" ? { passed: 0, failed: end ? 0 : 1, skipped: 0 } : end;
}
