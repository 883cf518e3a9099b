/**
 * What a build is made from is enough to build from.
 *
 * @module
 */

import assert from "node:assert/strict";
import { inputFiles, INPUTS } from "../../build/input_hash.ts";
import { ROOT } from "../../build/paths.ts";

Deno.test("INPUTS has the deno.json of every member, without which the lockfile does not fit", async () => {
  const { workspace } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  for (const member of workspace.map((path: string) => path.replace("./", ""))) {
    assert.ok(INPUTS.includes(member) || INPUTS.includes(`${member}/deno.json`), member);
  }
});

Deno.test("what the gate notes of the renderer's tests makes no executable out of date", async () => {
  const files = await inputFiles();
  assert.ok(files.includes("render/deno.json"));
  assert.ok(!files.includes("render/tests/passed.sha256"));
});
