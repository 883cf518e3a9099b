import assert from "node:assert/strict";
import { archiveCalls } from "../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { ServerArchives } from "../../src/app/archives/server_archives.ts";
import type { LedgerSeals } from "../../src/storage/ports/seals.ts";
import { liveThroughMonths } from "../admin/months_of_calls.ts";
import { CATALOGUE, openTestAdmin } from "../admin/test_admin.ts";
import { SeededRandom } from "../support/seeded_random.ts";

Deno.test("whoever has moved to a server still finds the calls of archives from before", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await liveThroughMonths(admin, new SeededRandom(5), { months: 5, most: 10 });
  const [first] = await deps.storage.calls.slice(0, 1);
  const input = { before: "2026-03-01", file: `${admin.path}.archive`, dry_run: false };
  await runOperation(archiveCalls, { deps, input });
  const [known] = await deps.storage.checkpoints.list();
  const reserve = { freeBytes: () => Infinity };
  // It asks no server for that.
  const seals = {} as ConstructorParameters<typeof ServerArchives>[1]["seals"];
  const archives = new ServerArchives(admin.path, { seals, clock: deps.clock, reserve });
  const found = await archives.findCall(known!, first!.callId);
  assert.deepEqual(found, await deps.archives.findCall(known!, first!.callId));
  assert.equal(found.kind === "found" && found.call.requestId, first!.requestId);
  assert.deepEqual(await archives.findCall(known!, 1e9), { kind: "not_in_it" });
  await Deno.remove(known!.file);
  assert.deepEqual(await archives.findCall(known!, first!.callId), { kind: "unreadable" });
});

Deno.test("a server that answers nothing keeps nobody from stopping", async () => {
  const dataDir = await Deno.makeTempDir();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const silent = () => {
    resolve();
    return new Promise<never>(() => {});
  };
  const seals = { archives: { unfinished: silent } } as unknown as LedgerSeals;
  const archives = new ServerArchives(dataDir, {
    ...{ seals, clock: { now: () => 0 } },
    reserve: { freeBytes: () => Infinity },
  });
  try {
    void archives.alone(() => archives.finishDropping());
    await asked;
    await archives.stop();
    assert.equal(archives.isUnderWay, true);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
