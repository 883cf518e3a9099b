/**
 * Another gateway's configuration, imported and applied.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";

/** What the command printed; what it printed has to be a catalogue. */
export async function imported(
  form: string,
  text: string,
  others: Readonly<Record<string, string>> = {},
) {
  let result: { code: number; stdout: string; stderr: string; applied: string } | undefined;
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    await Deno.writeTextFile(`${dataDir}/in.yaml`, text);
    for (const [name, other] of Object.entries(others)) {
      await Deno.writeTextFile(`${dataDir}/${name}`, other);
    }
    const ended = await runCommand(["import", form, `${dataDir}/in.yaml`]);
    await Deno.writeTextFile(`${dataDir}/out.yaml`, ended.stdout);
    const applied = await runCommand(["apply", `${dataDir}/out.yaml`, "--data-dir", dataDir]);
    assert.equal(applied.code, 0, applied.stderr);
    result = { ...ended, applied: applied.stdout };
  });
  return result!;
}
