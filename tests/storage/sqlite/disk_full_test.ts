import assert from "node:assert/strict";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";

/** Mounts a file system of 2 MiB; `undefined` where that is not allowed. */
async function mountSmallDisk(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return undefined;
  const folder = await Deno.makeTempDir({ prefix: "tollgate_small_disk_" });
  const mount = new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder],
    stderr: "null",
  });
  if ((await mount.output()).success) return folder;
  await Deno.remove(folder);
  return undefined;
}

/** Lazily, since a failed test leaves its database open. */
async function unmount(folder: string): Promise<void> {
  await new Deno.Command("umount", { args: ["--lazy", folder] }).output();
  await Deno.remove(folder);
}

async function canMount(): Promise<boolean> {
  const folder = await mountSmallDisk();
  if (folder !== undefined) await unmount(folder);
  return folder !== undefined;
}

function closes(first: number, count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: "close",
    call: sampleClosedCall({ callId: first + index, heldE8: 10n, chargedE8: 10n }),
  }));
}

Deno.test({
  name: "a full disk refuses whole batches as full, keeps the books and recovers by itself",
  ignore: Deno.env.get("CI") !== "true" && !await canMount(),
  fn: async () => {
    const folder = await mountSmallDisk();
    if (folder === undefined) throw new Error("Cannot mount a small disk: run the tests as root");
    try {
      const storage = createSqliteStorage(`${folder}/tollgate.db`);
      await fundProject(storage, 1_000_000n);
      await storage.commitBatch([{ kind: "hold", call: sampleOpenCall({ heldE8: 10n }) }]);
      await storage.writeSums();
      const ballast = await Deno.open(`${folder}/ballast`, { write: true, create: true });
      const block = new Uint8Array(4096);
      let full = false;
      while (!full) full = await ballast.write(block).then((n) => n < 4096, () => true);
      ballast.close();

      let next = 2;
      let refused: string[] = [];
      while (refused.length === 0) {
        const results = words(await storage.commitBatch(closes(next, 50)));
        if (results.every((word) => word === "ok")) next += 50;
        else refused = results;
      }
      assert.deepEqual(refused, Array(50).fill("full"));
      const charged = 10n * BigInt(next - 2);
      assert.deepEqual(await storage.accounts.loadBalances(), [
        { projectId: "acme", avail: 999_990n - charged, held: 10n },
      ]);
      assert.equal(await storage.calls.lastCallId(), Math.max(1, next - 1));

      await Deno.remove(`${folder}/ballast`);
      const results = words(await storage.commitBatch([...closes(1, 1), ...closes(next, 50)]));
      assert.deepEqual(results, Array(51).fill("ok"));
      const ledger = await storage.ledger.slice(0, 100_000);
      assert.equal(ledger.at(-1)!.seq, ledger.length);
      assert.deepEqual(await storage.accounts.loadBalances(), [
        { projectId: "acme", avail: 1_000_000n - charged - 510n, held: 0n },
      ]);
      await storage.close();
    } finally {
      await unmount(folder);
    }
  },
});
