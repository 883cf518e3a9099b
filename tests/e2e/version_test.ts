/**
 * The program says what it is, wherever it runs.
 *
 * @module
 */

import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { programKind, runTollgate } from "../support/executable.ts";

Deno.test("version --json names version, runtime and whether it stands alone", async () => {
  const { code, stdout, stderr } = await runTollgate(["version", "--json"]);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const facts = JSON.parse(stdout);
  assert.equal(facts.version, config.version);
  assert.equal(facts.standalone, programKind === "executable");
  assert.match(facts.runtime, /^2\.\d+\.\d+$/);
});

Deno.test("version leaves no file behind", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-clean-" });
  const { code } = await runTollgate(["version"], { cwd, env: { TMPDIR: cwd, HOME: cwd } });
  const left = [...Deno.readDirSync(cwd)].map((entry) => entry.name);
  await Deno.remove(cwd, { recursive: true });
  assert.equal(code, 0);
  assert.deepEqual(left, []);
});
