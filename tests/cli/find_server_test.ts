import assert from "node:assert/strict";
import { findTarget } from "../../src/cli/base/find_server.ts";

const around = {
  isDirectory(path: string) {
    try {
      return Deno.statSync(path).isDirectory;
    } catch {
      return false;
    }
  },
};

async function withFolders(test: (usual: string, service: string) => Promise<void>) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-find-" });
  try {
    await test(`${folder}/usual`, `${folder}/service`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const lock = JSON.stringify({ pid: 4711, kind: "server", socket: "/there/control.sock" });

Deno.test("findTarget() goes to the service's server when nothing was chosen and nothing is here", () =>
  withFolders(async (usual, service) => {
    await Deno.mkdir(service);
    await Deno.writeTextFile(`${service}/lock`, lock);
    const target = findTarget({ dataDir: usual, isChosen: false }, around, service);
    assert.deepEqual([target.dataDir, target.server?.pid], [service, 4711]);
    for (const choice of ["chosen", "there"]) {
      if (choice === "there") await Deno.mkdir(usual);
      const other = findTarget({ dataDir: usual, isChosen: choice === "chosen" }, around, service);
      assert.deepEqual(other, { dataDir: usual, server: undefined, serviceDir: undefined });
    }
  }));

Deno.test("findTarget() tells of a service's data dir that has no server, or may not be entered", () =>
  withFolders(async (usual, service) => {
    const choice = { dataDir: usual, isChosen: false };
    assert.equal(findTarget(choice, around, service).serviceDir, undefined);
    // As for anybody but root: the link is there, what it leads to cannot be seen.
    await Deno.symlink(`${service}-private`, service);
    const hidden = findTarget(choice, around, service);
    assert.deepEqual(hidden, { dataDir: usual, server: undefined, serviceDir: service });
    await Deno.mkdir(`${service}-private`);
    await Deno.writeTextFile(`${service}/lock`, "");
    assert.equal(findTarget(choice, around, service).serviceDir, service);
  }));
