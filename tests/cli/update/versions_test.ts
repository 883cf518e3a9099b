/**
 * Which version is the later one, and whose file the executable is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { compareVersions } from "../../../src/cli/update/offered_release.ts";
import { runCommand } from "../run_in_process.ts";

const ORDER = [
  "0.1.0-alpha.2",
  "0.1.0-alpha.10",
  "0.1.0-beta",
  "0.1.0",
  "0.1.1",
  "0.10.0",
  "1.0.0",
];

Deno.test("compareVersions() orders as semantic versioning does", () => {
  for (const [i, one] of ORDER.entries()) {
    for (const [j, other] of ORDER.entries()) {
      assert.equal(Math.sign(compareVersions(one, other)), Math.sign(i - j), `${one} ${other}`);
    }
  }
});

Deno.test("update from source says how that is updated", async () => {
  const { code, stderr } = await runCommand(["update", "--rollback"]);
  assert.equal(code, 1);
  assert.match(stderr, /This is not the executable: .*npm install --global tollgate@latest/);
});

Deno.test("update names a public key that is none", async () => {
  const args = ["update", "--from", "/nowhere", "--public-key", "/nowhere/key"];
  const { code, stderr } = await runCommand(args);
  assert.equal(code, 2);
  assert.match(stderr, /There is no public key \/nowhere\/key/);
});
