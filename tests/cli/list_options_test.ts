import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { sampleKey, sampleProject } from "../conformance/storage_samples.ts";

const KEYS = 2_345;

Deno.test("a command lists what is more than a page, in order", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
    const ids = Array.from({ length: KEYS }, (_, index) => `key_${index}`);
    await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ id: "shop" }) },
      ...ids.map((id, index) => ({
        kind: "create_key",
        key: sampleKey({
          id,
          projectId: "shop",
          hash: String(index).padStart(64, "0"),
          createdAt: index,
        }),
      } as const)),
    ]);
    await storage.close();
    const list = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand(
        ["keys", "list", "--json", "--data-dir", dataDir, ...args],
      );
      assert.equal(code, 0, stderr);
      return { ids: JSON.parse(stdout).map(({ id }: { id: string }) => id), stderr };
    };
    assert.deepEqual((await list()).ids, ids);
    const most = await list("--limit", "1500", "--after", "key_9");
    assert.deepEqual(most.ids, ids.slice(10, 1_510));
    assert.match(most.stderr, /There are more: --after key_1509/);
  });
});
