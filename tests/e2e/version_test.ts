/**
 * The program says what it is, wherever it runs.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import config from "../../deno.json" with { type: "json" };
import { programKind, runTollgate, startTollgate } from "../support/executable.ts";
import { writeExecutable } from "../support/executable_files.ts";
import { runTool } from "../support/outside_tool.ts";
import { damageStartCaches } from "../support/start_caches.ts";

Deno.test("version --json names version, runtime and whether it stands alone", async () => {
  const { code, stdout, stderr } = await runTollgate(["version", "--json"]);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const facts = JSON.parse(stdout);
  assert.equal(facts.version, config.version);
  assert.equal(facts.standalone, programKind === "executable");
  assert.match(facts.runtime, /^2\.\d+\.\d+$/);
});

const ofExecutable = { ignore: programKind !== "executable" };

Deno.test(
  "the engine takes what was compiled when the executable was built",
  ofExecutable,
  async () => {
    const { start_caches: caches } = JSON.parse((await runTollgate(["version", "--json"])).stdout);
    assert.deepEqual(caches, {
      main: "taken",
      serve: "taken",
      core: "taken",
      "storage_sqlite_worker.js": "taken",
    });
  },
);

Deno.test(
  "an executable whose compiled code is damaged serves without it",
  ofExecutable,
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-damaged-" });
    try {
      const damaged = `${folder}/tollgate`;
      const bytes = Buffer.from(await Deno.readFile(Deno.env.get("TOLLGATE_BINARY")!));
      damageStartCaches(bytes);
      await writeExecutable(damaged, bytes);
      const { stdout } = await runTool(damaged, ["version", "--json"]);
      assert.deepEqual(
        new Set(Object.values(JSON.parse(stdout).start_caches)),
        new Set(["refused"]),
      );
      const through = ["bash", "-c", 'shift; exec "$0" "$@"', damaged];
      await using server = await startTollgate({ through });
      const answer = await fetch(`${server.baseUrl}/v1/chat/completions`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${server.key}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "Hello!" }] }),
      });
      assert.equal((await answer.json()).choices[0].message.content, "You said: Hello!");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

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
