/**
 * What `service uninstall` takes from a tree, and what it leaves there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import { COPY_PATH, UNIT_PATH, unitText } from "../../src/cli/systemd/unit_text.ts";
import { runCommand } from "./run_in_process.ts";

const PLAN = {
  ...{ variables: {}, credentials: [], backupFolders: [] },
  ...{ drainTimeoutMs: 30_000, hasLowPort: false },
};
const KEPT = ["/etc/tollgate/admin.key", "/var/lib/private/tollgate/tollgate.db"];

/** What is left of a tree, and what was said; with a program at its place, whoever has put it there. */
async function uninstalled(unit: string, { isThere = true } = {}) {
  const root = await Deno.makeTempDir({ prefix: "tollgate-image-" });
  try {
    const files: (readonly [path: string, text: string])[] = [
      [UNIT_PATH, unit],
      ...KEPT.map((path) => [path, "kept"] as const),
    ];
    if (isThere) files.push([COPY_PATH, "a program"]);
    for (const [path, text] of files) {
      await Deno.mkdir(dirname(`${root}${path}`), { recursive: true });
      await Deno.writeTextFile(`${root}${path}`, text);
    }
    const { code, stdout } = await runCommand(["service", "uninstall", "--root", root]);
    assert.equal(code, 0);
    const left = [UNIT_PATH, COPY_PATH, ...KEPT].filter((path) => {
      try {
        return Deno.statSync(`${root}${path}`).isFile;
      } catch {
        return false;
      }
    });
    return { left, said: stdout.replaceAll(root, "ROOT") };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("service uninstall removes the copy that install has made, and says what stays", async () => {
  const unit = unitText({ ...PLAN, executable: COPY_PATH, isCopied: true });
  const { left, said } = await uninstalled(unit);
  assert.deepEqual(left, KEPT);
  assert.match(said, /^program +ROOT\/usr\/local\/bin\/tollgate \(removed: install/m);
  assert.match(said, /^data +ROOT\/var\/lib\/private\/tollgate stays, as does \/etc\/tollgate/m);
  const absent = await uninstalled(unit, { isThere: false });
  assert.deepEqual(absent.left, KEPT);
  assert.match(absent.said, /^program +.*\(it was not there\)$/m);
});

Deno.test("service uninstall leaves a program that install has not put there, also at the place of the copy", async () => {
  for (const executable of [COPY_PATH, "/opt/tollgate"]) {
    const { left, said } = await uninstalled(unitText({ ...PLAN, executable }));
    assert.deepEqual(left, [COPY_PATH, ...KEPT]);
    assert.match(said, new RegExp(`^program +ROOT${executable} stays: this unit's install`, "m"));
  }
});
