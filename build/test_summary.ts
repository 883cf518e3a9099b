/**
 * Reads the counts out of what `deno test` printed.
 *
 * @module
 */

/** How many tests passed, failed and were skipped. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

// deno-lint-ignore no-control-regex -- colours are control characters
const COLOURS = /\x1b\[[0-9;]*m/g;
const SUMMARY =
  /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/gm;

/**
 * The counts of the last summary in `output`; `undefined` when the run ended before it printed one
 * (a file that does not compile, no tests found), which no caller may take for success.
 */
export function readTestSummary(output: string): TestCounts | undefined {
  const summary = [...output.replace(COLOURS, "").matchAll(SUMMARY)].at(-1);
  if (summary === undefined) return undefined;
  const [, passed, failed, skipped] = summary;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) };
}

/** The plain closing line: `12 passed, 0 failed`, with `, 1 skipped` only when there were any. */
export function formatTestCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
