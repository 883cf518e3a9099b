/**
 * Root in data dirs of others, and links where files are expected.
 *
 * @module
 */

import assert from "node:assert/strict";
import { restoreBackup } from "../../../src/app/backups/restore_backup.ts";
import { lockDataDir } from "../../../src/storage/ownership/data_dir_lock.ts";
import { refuseForeignDataDir } from "../../../src/storage/ownership/data_dir_owner.ts";
import { runCommand } from "../../cli/run_in_process.ts";

const OWNER = { pid: Deno.pid, socket: undefined, kind: "cli" } as const;
const SOMEBODY = 4711;

const needsRoot = { ignore: Deno.uid() !== 0 };

async function inTempDir(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-owner-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(
  "lockDataDir() as root leaves another user's data dir as it is, and says how to go on",
  needsRoot,
  async () => {
    await inTempDir(async (folder) => {
      const dataDir = `${folder}/data`;
      await Deno.mkdir(dataDir);
      await Deno.writeTextFile(`${folder}/victim`, "precious");
      await Deno.symlink(`${folder}/victim`, `${dataDir}/lock`);
      await Deno.mkdir(`${folder}/foreign`);
      await Deno.symlink(`${folder}/foreign`, `${dataDir}/backups`);
      await Deno.chown(dataDir, SOMEBODY, SOMEBODY);
      const refusal = {
        name: "StorageOpenError",
        message:
          /belongs to the user with id 4711: run this as that user: sudo -u '#4711' tollgate/,
      };
      await assert.rejects(lockDataDir(dataDir, { owner: OWNER }), refusal);
      const restore = { file: `${folder}/x.db`, dataDir, mayReplace: true, now: 0 };
      await assert.rejects(restoreBackup({ ...restore, acceptsDifferences: false }), refusal);
      for (const args of [["backup", "create"], ["keys", "list"], ["projects", "create", "x"]]) {
        const { code, stderr } = await runCommand([...args, "--data-dir", dataDir]);
        assert.equal(code, 1);
        assert.match(stderr, /Root does not write in the data dir/);
      }
      assert.equal(await Deno.readTextFile(`${folder}/victim`), "precious");
      assert.deepEqual([...Deno.readDirSync(dataDir)].map(({ name }) => name).sort(), [
        "backups",
        "lock",
      ]);
      assert.equal((await Deno.stat(`${folder}/foreign`)).uid, 0);
      assert.deepEqual([...Deno.readDirSync(`${folder}/foreign`)], []);
    });
  },
);

Deno.test(
  "refuseForeignDataDir() refuses a link that another user has laid",
  needsRoot,
  async () => {
    await inTempDir(async (folder) => {
      const link = `${folder}/data`;
      await Deno.mkdir(`${folder}/roots`);
      await Deno.symlink(`${folder}/roots`, link);
      refuseForeignDataDir(link);
      await new Deno.Command("chown", { args: ["-h", `${SOMEBODY}`, link] }).output();
      assert.throws(() => refuseForeignDataDir(link), /is a link that belongs to the user with id/);
      refuseForeignDataDir(`${folder}/roots`);
      refuseForeignDataDir(`${folder}/nothing`);
      refuseForeignDataDir(link, SOMEBODY);
    });
  },
);

Deno.test("lockDataDir() writes to no file that a link in its place leads to", async () => {
  await inTempDir(async (dataDir) => {
    for (const target of [`${dataDir}/victim`, `${dataDir}/not-there`]) {
      await Deno.writeTextFile(`${dataDir}/victim`, "precious");
      await Deno.symlink(target, `${dataDir}/lock`);
      await assert.rejects(lockDataDir(dataDir, { owner: OWNER }), {
        error: "conflict",
        message: /lock is a link, which tollgate has not made: remove it/,
      });
      await Deno.remove(`${dataDir}/lock`);
    }
    assert.deepEqual([...Deno.readDirSync(dataDir)].map(({ name }) => name), ["victim"]);
    assert.equal(await Deno.readTextFile(`${dataDir}/victim`), "precious");
    (await lockDataDir(dataDir, { owner: OWNER })).release();
  });
});
