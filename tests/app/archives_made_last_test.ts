/**
 * What an earlier process has left under an archive's name is on the disk before anything depends on it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { writeArchive } from "../../src/app/archives/write_archive.ts";
import { makeOwnFolder } from "../../src/app/jobs/new_file.ts";
import { liveThroughMonths } from "../admin/months_of_calls.ts";
import { CATALOGUE, openTestAdmin } from "../admin/test_admin.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { syncsOf } from "../support/syncs.ts";

Deno.test("a file's archive that is taken up is synced, and so is its name", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await liveThroughMonths(admin, new SeededRandom(5), { months: 5, most: 10 });
  const folder = await Deno.makeTempDir();
  const file = `${folder}/calls.db`;
  const write = () =>
    writeArchive({
      ...{ database: admin.path, part: `${file}.part`, file, now: admin.clock.now() },
      beforeMs: Date.UTC(2026, 2),
      onStep: () => {},
      onProgress: () => {},
    });
  try {
    const written = await write();
    const { value: again, synced } = await syncsOf(write);
    assert.deepEqual(again, written);
    assert.deepEqual(synced, [file, folder]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("makeOwnFolder() has the folder's name last", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const { synced } = await syncsOf(() => makeOwnFolder(`${dataDir}/archives`));
    assert.deepEqual(synced, [dataDir]);
    assert.equal((await Deno.stat(`${dataDir}/archives`)).mode! & 0o777, 0o700);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
