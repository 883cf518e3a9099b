/**
 * The scripts of the gate end with the plain line of counts, whatever becomes of the task.
 *
 * @module
 */

import assert from "node:assert/strict";
import { writeExecutable } from "../support/executable_files.ts";

/** Runs a task as the scripts do, with `npx` as it is written. */
async function runTask(npx: string): Promise<{ readonly code: number; readonly stdout: string }> {
  const folder = await Deno.makeTempDir();
  try {
    await writeExecutable(`${folder}/npx`, `#!/usr/bin/env bash\n${npx}\n`);
    const { code, stdout } = await new Deno.Command("bash", {
      args: ["-c", "set -euo pipefail; source .ci/tools.sh; run_task ok"],
      env: { PATH: `${folder}:${Deno.env.get("PATH")}` },
      stdin: "null",
      stderr: "null",
    }).output();
    return { code, stdout: new TextDecoder().decode(stdout) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a task's own line of counts is the last one, and its code that of the script", async () => {
  assert.deepEqual(await runTask('echo "== format"; echo "3 passed, 0 failed"'), {
    code: 0,
    stdout: "== format\n3 passed, 0 failed\n",
  });
  assert.deepEqual(await runTask('echo "3 passed, 2 failed, 1 skipped"; exit 1'), {
    code: 1,
    stdout: "3 passed, 2 failed, 1 skipped\n",
  });
});

Deno.test("a task that breaks off without its line has failed, and the line is there all the same", async () => {
  const broken = [
    ["exit 127", 127],
    ['echo "== format"; kill -KILL $$', 137],
    ['echo "3 passed, 0 failed"; echo "behind it"; exit 0', 1],
    ["exit 0", 1],
  ] as const;
  for (const [npx, expected] of broken) {
    const { code, stdout } = await runTask(npx);
    assert.equal(code, expected, npx);
    assert.equal(stdout.trimEnd().split("\n").at(-1), "0 passed, 1 failed", npx);
  }
});
