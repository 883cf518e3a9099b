import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { archiveCalls } from "../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { showCall } from "../../src/admin/calls.ts";
import { Archives } from "../../src/app/archives/archives.ts";
import { ServerArchives } from "../../src/app/archives/server_archives.ts";
import type { CommitQueue } from "../../src/storage/ports/commit_queue.ts";
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

Deno.test("an archive with a damaged page is named with what to do, told of, and goes on to be read elsewhere", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await liveThroughMonths(admin, new SeededRandom(5), { months: 5, most: 60 });
  const calls = (await deps.storage.calls.slice(0, 1_000)).filter(({ openedAt }) =>
    openedAt < Date.parse("2026-02-25")
  );
  const input = { before: "2026-03-01", file: `${admin.path}.archive`, dry_run: false };
  await runOperation(archiveCalls, { deps, input });
  const [known] = await deps.storage.checkpoints.list();
  const { file } = known!;
  const [first, last] = [calls[0]!, calls.at(-1)!];
  await damagePageWith(file, last.requestId);
  const show = (request_id: string) =>
    runOperation(showCall, { deps: { ...deps, archives }, input: { request_id } });
  const told: (readonly string[])[] = [];
  const archives = new Archives(dirname(admin.path), {
    ...{ clock: deps.clock, reserve: { freeBytes: () => Infinity } },
    // It only reads.
    commits: {} as CommitQueue,
    onDamage: (...damage) => told.push(damage),
  });
  await assert.rejects(show(last.requestId), {
    error: "not_found",
    message: new RegExp(
      `it is in archive 1, written to ${file}, which cannot be read there \\(.*malformed\\): put a sound copy `,
    ),
  });
  assert.equal(told.length, 1);
  assert.deepEqual(told[0]![0], file);
  assert.match(told[0]![1]!, /malformed/);
  assert.equal((await show(first.requestId)).archive, file);
  assert.equal(told.length, 1);
});

/** Makes the page of an archive unreadable that has the row with a text, and no other. */
async function damagePageWith(file: string, text: string): Promise<void> {
  const bytes = Buffer.from(await Deno.readFile(file));
  const pageSize = bytes.readUInt16BE(16);
  const at = bytes.indexOf(text);
  assert.ok(at > pageSize, "no page has it");
  bytes[Math.floor(at / pageSize) * pageSize] = 0xff;
  await Deno.chmod(file, 0o600);
  await Deno.writeFile(file, bytes);
}

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
