import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { DiskReserve } from "../../../src/app/database/disk_reserve.ts";
import { needsSmallDisk, SmallDisk } from "../../support/small_disk.ts";

const MIB = 1024 ** 2;

Deno.test(
  "freeBytes() is what is free above the reserve, and never less than nothing",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(16 * MIB);
    const { bavail, bsize } = statfsSync(disk.folder);
    const free = bavail * bsize;
    assert.equal(new DiskReserve(disk.folder, 0).freeBytes(), free);
    const reserve = new DiskReserve(disk.folder, 2 * MIB);
    assert.equal(reserve.freeBytes(), free - 2 * MIB);
    await Deno.mkdir(`${disk.folder}/videos`);
    assert.equal(reserve.freeBytes(`${disk.folder}/videos`), reserve.freeBytes());
    await disk.fill(MIB);
    assert.equal(reserve.freeBytes(), 0);
    await disk.clear();
    assert.ok(reserve.freeBytes() > 13 * MIB);
  },
);

Deno.test("freeBytes() holds back at most a quarter of a small disk", needsSmallDisk, async () => {
  await using disk = await SmallDisk.mount(16 * MIB);
  const { bavail, bsize } = statfsSync(disk.folder);
  assert.equal(new DiskReserve(disk.folder, 256 * MIB).freeBytes(), bavail * bsize - 4 * MIB);
});

Deno.test(
  "freeBytes() holds nothing back on a disk without the ledger",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(16 * MIB);
    await using other = await SmallDisk.mount(8 * MIB);
    const { bavail, bsize } = statfsSync(other.folder);
    assert.equal(new DiskReserve(disk.folder, 256 * MIB).freeBytes(other.folder), bavail * bsize);
  },
);
