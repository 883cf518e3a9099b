/**
 * Commands that need no gateway: what they answer is held against their operations.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";

Deno.test("a backup is made, verified and restored, and doctor finds the data dir well", async () => {
  await withDataDir(async (dataDir) => {
    const cwd = dataDir.slice(0, dataDir.lastIndexOf("/"));
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand([...args, "--json"], { cwd });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const place = ["--data-dir", dataDir];
    await json("projects", "create", "shop", ...place);
    const made = await json("backup", "create", "one.db", ...place);
    assert.equal(made.file, `${cwd}/one.db`);
    // Of those that the server makes by itself alone there is a list.
    const { stderr } = await runCommand(["backup", "list", ...place], { cwd });
    assert.match(
      stderr,
      /^None that the server has made by itself: .* Those of backup create are/m,
    );
    const { milliseconds: _, ...verified } = await json("backup", "verify", "one.db");
    assert.deepEqual({ ...made, milliseconds: 0 }, { ...verified, milliseconds: 0 });
    const refused = await runCommand(["backup", "restore", "one.db", ...place], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /With --yes it is replaced/);
    const restored = await json("backup", "restore", "one.db", "--yes", ...place);
    assert.equal(restored.data_dir, dataDir);
    assert.match(restored.kept, /before-restore/);
    const findings = await json("doctor", "--offline", ...place);
    assert.ok(findings.length > 5);
    const lines = await runCommand(["doctor", "--offline", ...place]);
    assert.equal(lines.stdout.match(/^(ok|warning|problem) /gm)?.length, findings.length);
  });
});

Deno.test("a file that is no archive is named, with which file would be one", async () => {
  await withDataDir(async (dataDir) => {
    const file = `${dataDir}.db`;
    await Deno.writeTextFile(file, "not a database ".repeat(100));
    const { code, stderr } = await runCommand(["calls", "archive", "verify", file, "--alone"]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^tollgate: Cannot read the archive .*\. Name a file that `tollgate calls a/,
    );
  });
});

Deno.test("settings and schemas are shown without a data dir", async () => {
  const shown = await runCommand(["config", "show", "--json", "--listen", "127.0.0.1:0"], {
    env: { HOME: "/nowhere" },
  });
  assert.equal(shown.code, 0, shown.stderr);
  const listen = JSON.parse(shown.stdout).find(({ name }: { name: string }) => name === "listen");
  assert.deepEqual(listen, { name: "listen", value: "127.0.0.1:0", source: "flag --listen" });
  const titles = await Promise.all([[], ["catalogue"], ["settings"]].map(async (file) => {
    const { code, stdout } = await runCommand(["config", "schema", ...file]);
    assert.equal(code, 0);
    return JSON.parse(stdout).title;
  }));
  assert.deepEqual(titles, ["Tollgate catalogue", "Tollgate catalogue", "Tollgate settings"]);
  assert.equal((await runCommand(["config", "schema", "nothing"])).code, 2);
});
