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

const asNobody = "the executable runs as an unprivileged user in an empty folder";
const canBecomeNobody = programKind === "executable" && Deno.uid() === 0;
Deno.test(asNobody, { ignore: !canBecomeNobody }, async () => {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-nobody-" });
  try {
    await Deno.chmod(cwd, 0o755);
    const copy = `${cwd}/tollgate`;
    await Deno.copyFile(Deno.env.get("TOLLGATE_BINARY") ?? "", copy);
    const { success, stdout } = await new Deno.Command(copy, {
      args: ["version", "--json"],
      cwd,
      uid: 65534,
      gid: 65534,
      clearEnv: true,
    }).output();
    assert.ok(success);
    assert.equal(JSON.parse(new TextDecoder().decode(stdout)).standalone, true);
    assert.deepEqual([...Deno.readDirSync(cwd)].map(({ name }) => name), ["tollgate"]);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
