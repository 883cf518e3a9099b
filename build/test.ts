// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task test [files or flags of deno test]`: brings the executable up to date, then runs the
 * tests against it. Without arguments the whole suite runs.
 *
 * The tests learn the executable's path from `TOLLGATE_BINARY`. Where no runtime for `deno compile`
 * can be had they drive the source under the same permissions, except with `CI=true`, where a
 * missing executable is a failure. The last line is `N passed, N failed`; the exit code is
 * that of `deno test`.
 *
 * @module
 */

import { NoRuntimeError } from "./compile_bundles.ts";
import { buildExecutable } from "./executable.ts";
import { ROOT } from "./paths.ts";
import { formatTestCounts, readTestSummary } from "./test_summary.ts";
import { denoCommand, PINNED_DENO } from "./toolchain.ts";

try {
  const executable = await executableUnderTest();
  Deno.exitCode = await runTests(
    executable,
    Deno.args.length > 0 ? Deno.args : ["tests/", "render/"],
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log(formatTestCounts({ passed: 0, failed: 1, skipped: 0 }));
  Deno.exitCode = 1;
}

/** Path of the executable, or `undefined` when the source has to stand in for it. */
async function executableUnderTest(): Promise<string | undefined> {
  try {
    const { path, runtime } = await buildExecutable({ log: (line) => console.error(line) });
    console.error(`Testing ${path} (runtime ${runtime})`);
    return path;
  } catch (error) {
    if (!(error instanceof NoRuntimeError) || Deno.env.get("CI") === "true") throw error;
    console.error(`${error.message}\nTesting the source under the executable's permissions`);
    return undefined;
  }
}

/** Runs `deno test`, shows its output as it comes and ends with the plain line of counts. */
async function runTests(executable: string | undefined, args: readonly string[]): Promise<number> {
  const [program, ...before] = denoCommand(PINNED_DENO);
  const child = new Deno.Command(program, {
    args: [...before, "test", "--quiet", "--permission-set=test", "--parallel", ...args],
    cwd: ROOT,
    env: {
      ...(executable === undefined ? {} : { TOLLGATE_BINARY: executable }),
      ...(Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : {}),
    },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true });
    await Deno.stdout.write(chunk);
  }
  const { code } = await child.status;
  const counts = readTestSummary(output);
  if (counts === undefined) throw new Error("Cannot count the tests: the run ended too early");
  console.log(formatTestCounts(counts));
  return code;
}
