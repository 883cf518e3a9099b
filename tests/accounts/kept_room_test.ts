import assert from "node:assert/strict";
import { KeptRoom, SPARED_MS } from "../../src/accounts/kept_room.ts";
import { keptWarnings } from "../../src/app/log_kept.ts";
import { ANSWER_ROW_BYTES } from "../../src/domain/kept_bytes.ts";
import type { StoredResponse } from "../../src/domain/stored_response.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { sampleResponse } from "../conformance/storage_responses_suite.ts";
import { sampleAnswer } from "../conformance/storage_video_samples.ts";
import { FakeClock } from "../support/fake_clock.ts";

const QUOTA = 10_000;
/** Bytes of each response kept here. */
const EACH = 1_000;

/** A room over a database of its own, and what it was asked. */
async function withRoom(
  run: (at: Awaited<ReturnType<typeof openRoom>>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const at = await openRoom(`${folder}/tollgate.db`);
  try {
    await run(at);
  } finally {
    await at.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function openRoom(path: string, clock = new FakeClock()) {
  const storage = createSqliteStorage(path);
  const disk = { freeBytes: 1_000_000 };
  const told: string[] = [];
  const own = new Map<string, number>();
  const room = new KeptRoom({
    commits: new GatheringQueue({ write: (batch) => storage.commitBatch(batch) }),
    state: await storage.kept.load(),
    young: await storage.kept.since(clock.now() - SPARED_MS),
    quotaBytes: QUOTA,
    ownQuotaOf: (projectId) => own.get(projectId),
    freeBytes: () => {
      if (Number.isNaN(disk.freeBytes)) throw new Error("no such folder");
      return disk.freeBytes;
    },
    now: () => clock.now(),
    onFull: (project, why, cause) =>
      told.push(`${project} ${why}${cause instanceof Error ? `: ${cause.message}` : ""}`),
  });
  let callId = await storage.calls.lastCallId();
  const response = (bytes: number, changes: Partial<StoredResponse> = {}) => {
    const body = JSON.stringify("x".repeat(bytes - 4));
    return sampleResponse({
      ...{ callId: ++callId, input: "[]", body, createdAt: clock.now() },
      ...changes,
    });
  };
  /** Keeps a response if there is room, as a call's end does. */
  const keep = async (bytes = EACH, changes: Partial<StoredResponse> = {}) => {
    const kept = response(bytes, changes);
    const refusal = room.take(kept.projectId, bytes);
    if (refusal !== undefined) return refusal;
    const result = await room.commits.commit({ kind: "put_response", response: kept });
    assert.equal(result.ok, true);
    return kept.callId;
  };
  const isThere = async (id: unknown, projectId = "acme") =>
    await storage.responses.find({ projectId, responseId: `resp_${id}` }) !== undefined;
  const close = async () => {
    await room.commits.flush();
    await storage.close();
  };
  return { storage, room, clock, disk, told, own, keep, response, isThere, close };
}

/** Lets an eviction that nobody waits for be written. */
async function settled({ room }: { readonly room: KeptRoom }): Promise<void> {
  await room.commits.flush();
  await room.commits.flush();
}

Deno.test("KeptRoom takes no more for a project than its quota, whoever asks at the same time", async () => {
  await withRoom(async (at) => {
    const asked = await Promise.all(Array.from({ length: 12 }, () => at.keep()));
    assert.equal(asked.filter((one) => one === "quota").length, 2);
    assert.equal(at.room.bytesOf("acme"), QUOTA);
    assert.equal(at.room.take("acme", 1), "quota");
    assert.deepEqual(at.told, ["acme quota"], "told once, until there is room");
    assert.equal(at.room.take("other", QUOTA), undefined, "each project has its own");
    await Promise.resolve();
    assert.equal(at.room.bytesOf("other"), 0, "what is not given to the writer is given back");
  });
});

Deno.test("KeptRoom counts what storage counts, what is refused there too", async () => {
  await withRoom(async ({ room, response, storage }) => {
    const one = response(EACH);
    await room.commits.commit({ kind: "put_response", response: one });
    await room.commits.commit({ kind: "put_response", response: one });
    assert.equal(room.bytesOf("acme"), EACH);
    const record = sampleAnswer({ body: "漢字" });
    const answer = ANSWER_ROW_BYTES + 6;
    const given = room.commits.commit({ kind: "store_answer", record });
    assert.equal(room.bytesOf("acme"), EACH + answer, "from the moment that it is given");
    await given;
    assert.equal(room.bytesOf("acme"), EACH + answer);
    await room.commits.commit({
      kind: "delete_response",
      responseId: one.id,
      projectId: "acme",
    });
    assert.equal(room.bytesOf("acme"), answer);
    const { projects } = await storage.kept.load();
    assert.deepEqual(projects, [{
      projectId: "acme",
      answers: answer,
      responses: 0,
      unfinished: 0,
    }]);
  });
});

Deno.test("KeptRoom lets a project's oldest answers go for a new one, when they are old enough", async () => {
  await withRoom(async (at) => {
    const ids: unknown[] = [];
    at.clock.advance(SPARED_MS);
    for (let one = 0; one < 10; one++) {
      ids.push(await at.keep());
      at.clock.advance(20_000);
    }
    const stranger = await at.keep(EACH, { projectId: "other", createdAt: 0 });
    assert.equal(await at.keep(), "quota", "all are young");
    at.clock.advance(SPARED_MS - 200_000 + 30_000);
    const newest = await at.keep();
    await settled(at);
    assert.equal(typeof newest, "number");
    assert.deepEqual(await Promise.all([...ids, newest].map((id) => at.isThere(id))), [
      ...[false, false],
      ...Array(9).fill(true),
    ], "the oldest, and a little more than had to go");
    assert.equal(await at.isThere(stranger, "other"), true);
    assert.ok(at.room.bytesOf("acme") <= QUOTA);
    assert.equal(await at.keep(QUOTA), "quota", "what is young stays");
    assert.equal(await at.isThere(newest), true);
  });
});

Deno.test("KeptRoom gives room to an answer for repeated requests, and never takes it back", async () => {
  await withRoom(async (at) => {
    const record = sampleAnswer({
      body: "x".repeat(6_000 - ANSWER_ROW_BYTES),
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    await at.room.commits.commit({ kind: "store_answer", record });
    at.clock.advance(SPARED_MS);
    for (let one = 0; one < 4; one++) await at.keep();
    at.clock.advance(2 * SPARED_MS);
    assert.equal(at.room.take("acme", 4_001), "quota");
    assert.equal(at.room.take("acme", 4_000), undefined);
    await settled(at);
    assert.equal((await at.storage.answers.find(record))?.body, record.body);
    assert.equal(at.room.bytesOf("acme"), 6_000, "all responses went");
  });
});

Deno.test("KeptRoom spares an answer that is still to come", async () => {
  await withRoom(async (at) => {
    const coming = await at.keep(QUOTA, { isBackground: true, status: "queued" });
    at.clock.advance(3 * SPARED_MS);
    assert.equal(await at.keep(), "quota");
    assert.equal(await at.isThere(coming), true);
  });
});

Deno.test("KeptRoom lets a project that has no disk left live on what it gives up", async () => {
  await withRoom(async (at) => {
    at.clock.advance(SPARED_MS);
    const old = await at.keep(2 * EACH);
    at.clock.advance(2 * SPARED_MS);
    at.disk.freeBytes = 2 * EACH - 1;
    assert.equal(await at.keep(EACH, { projectId: "other" }), "disk");
    const id = await at.keep();
    await settled(at);
    assert.deepEqual([await at.isThere(old), await at.isThere(id)], [false, true]);
    assert.equal(await at.keep(), "disk", "nothing old is left");
    assert.deepEqual(at.told, ["other disk", "acme disk"]);
    at.disk.freeBytes = 2 * EACH;
    const both = await Promise.all([at.keep(), at.keep(EACH, { projectId: "other" })]);
    assert.equal(typeof both[0], "number", "room is noticed at once");
    assert.equal(both[1], "disk", "and what is on its way there is counted");
  });
});

Deno.test("KeptRoom takes the room that was left inside the database's file", async () => {
  await withRoom(async (at) => {
    const id = await at.keep(QUOTA);
    at.disk.freeBytes = 0;
    at.clock.advance(1_000);
    assert.equal(await at.keep(EACH, { projectId: "other" }), "disk");
    await at.room.commits.commit({
      kind: "delete_response",
      responseId: `resp_${id}`,
      projectId: "acme",
    });
    assert.equal(typeof await at.keep(EACH, { projectId: "other" }), "number");
  });
});

Deno.test("KeptRoom knows after a restart what is kept and how old it is, and lets old answers go at once", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/tollgate.db`;
  const before = await openRoom(path);
  const ids: unknown[] = [];
  for (let one = 0; one < 5; one++) ids.push(await before.keep());
  before.clock.advance(2 * SPARED_MS);
  for (let one = 0; one < 5; one++) ids.push(await before.keep());
  await before.close();
  before.clock.advance(20_000);
  const after = await openRoom(path, before.clock);
  try {
    assert.equal(after.room.bytesOf("acme"), QUOTA);
    assert.equal(await after.keep(5 * EACH + 1), "quota", "five are young");
    const newest = await after.keep(5 * EACH, { callId: 100, id: "resp_100" });
    await settled(after);
    assert.equal(typeof newest, "number");
    assert.deepEqual(await Promise.all([...ids, newest].map((id) => after.isThere(id))), [
      ...Array(5).fill(false),
      ...Array(6).fill(true),
    ]);
    after.clock.advance(SPARED_MS);
    assert.equal(after.room.take("acme", 5 * EACH), undefined, "they grow old after it too");
  } finally {
    await after.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("KeptRoom tells once of a project with no room, however small and large answers take turns", async () => {
  await withRoom(async (at) => {
    assert.equal(typeof await at.keep(6 * EACH), "number");
    for (let time = 0; time < 3; time++) {
      assert.equal(at.room.take("acme", QUOTA), "quota");
      assert.equal(typeof await at.keep(EACH), "number");
    }
    assert.deepEqual(at.told, ["acme quota"]);
    at.clock.advance(SPARED_MS - 1);
    assert.equal(at.room.take("acme", QUOTA + 1), "quota");
    assert.deepEqual(at.told.splice(0), ["acme quota"]);
    at.clock.advance(1);
    assert.equal(at.room.take("acme", QUOTA + 1), "quota");
    assert.deepEqual(at.told.splice(0), ["acme quota"], "a reminder");
    // Old answers go, so that there is room for one of the size that had none.
    at.clock.advance(20_000);
    assert.equal(typeof await at.keep(QUOTA), "number");
    assert.equal(at.room.take("acme", 2 * EACH), "quota");
    assert.deepEqual(at.told, ["acme quota"], "again, as there was room meanwhile");
  });
});

Deno.test("KeptRoom says that the disk is full from a refusal on, until there is room again", async () => {
  await withRoom(async (at) => {
    assert.equal(at.room.isDiskFull, false);
    at.disk.freeBytes = 2 * EACH - 1;
    assert.equal(at.room.isDiskFull, false, "nothing was asked for");
    assert.equal(await at.keep(), "disk");
    assert.equal(at.room.isDiskFull, true);
    assert.equal(at.room.take("acme", QUOTA + 1), "disk");
    at.disk.freeBytes = 3 * QUOTA;
    assert.equal(at.room.isDiskFull, false);
    assert.equal(at.room.take("acme", QUOTA + 1), "quota");
    assert.equal(at.room.isDiskFull, false, "a project's own part is nobody else's trouble");
  });
});

Deno.test("KeptRoom keeps promised room from everybody else until it is spent or given back", async () => {
  await withRoom(async (at) => {
    const promise = at.room.promise("acme", 6_000);
    assert.ok(typeof promise === "object");
    assert.equal(at.room.promise("acme", 4_001), "quota");
    assert.equal(at.room.take("acme", 4_001), "quota");
    const kept = at.response(EACH);
    promise.spend(EACH);
    await at.room.commits.commit({ kind: "put_response", response: kept });
    assert.equal(at.room.bytesOf("acme"), 6_000, "no byte counts twice");
    assert.equal(at.room.take("acme", 4_001), "quota");
    promise.end();
    promise.end();
    assert.equal(at.room.bytesOf("acme"), EACH);
    assert.equal(at.room.take("acme", QUOTA - EACH), undefined);
    at.disk.freeBytes = 0;
    at.clock.advance(2_000);
    assert.equal(at.room.promise("other", 1), "disk");
  });
});

Deno.test("KeptRoom lets old answers go for room that is promised and not spent yet", async () => {
  await withRoom(async (at) => {
    at.clock.advance(SPARED_MS);
    for (let one = 0; one < 10; one++) await at.keep();
    at.clock.advance(2 * SPARED_MS);
    for (let one = 0; one < 4; one++) {
      assert.equal(typeof at.room.promise("acme", EACH), "object");
      await settled(at);
      assert.ok(at.room.bytesOf("acme") <= QUOTA, `${at.room.bytesOf("acme")} bytes`);
    }
    assert.equal(typeof await at.keep(), "number");
    await settled(at);
    assert.ok(at.room.bytesOf("acme") <= QUOTA, `${at.room.bytesOf("acme")} bytes`);
  });
});

Deno.test("KeptRoom has a project without disk give up as much as it takes beside what it was promised", async () => {
  await withRoom(async (at) => {
    at.clock.advance(SPARED_MS);
    const old = [await at.keep(), await at.keep()];
    assert.equal(typeof at.room.promise("acme", 3 * EACH), "object");
    at.clock.advance(2 * SPARED_MS);
    at.disk.freeBytes = 0;
    assert.equal(typeof await at.keep(), "number");
    await settled(at);
    assert.equal(await at.isThere(old[0]), false);
  });
});

Deno.test("KeptRoom counts promised room among what the disk is to take", async () => {
  await withRoom(async (at) => {
    at.disk.freeBytes = 12_000;
    const promise = at.room.promise("acme", 5_000);
    assert.ok(typeof promise === "object");
    for (let look = 0; look < 2; look++) {
      assert.equal(at.room.take("other", 1_500), "disk");
      at.clock.advance(2_000);
    }
    promise.end();
    assert.equal(await at.keep(1_500, { projectId: "other" }), 1);
  });
});

Deno.test("KeptRoom holds a project to its own quota, from the moment that it has one", async () => {
  await withRoom(async (at) => {
    at.own.set("large", 3 * QUOTA);
    assert.equal(at.room.mostBytesOf("large"), 3 * QUOTA);
    assert.equal(at.room.take("large", 3 * QUOTA + 1), "quota");
    assert.equal(typeof await at.keep(3 * QUOTA, { projectId: "large" }), "number");
    at.own.set("acme", 3 * EACH);
    const first = await at.keep();
    at.clock.advance(2 * SPARED_MS);
    await at.keep();
    at.own.set("acme", 2 * EACH);
    const newest = await at.keep();
    await settled(at);
    assert.deepEqual([await at.isThere(first), await at.isThere(newest)], [false, true]);
    at.own.set("acme", EACH);
    assert.equal(at.room.bytesOf("acme"), 2 * EACH, "what is young stays for now");
    assert.equal(at.room.take("acme", 1), "quota");
    at.own.delete("acme");
    assert.equal(at.room.mostBytesOf("acme"), QUOTA);
    assert.equal(at.room.take("acme", QUOTA - 2 * EACH), undefined);
  });
});

Deno.test("KeptRoom takes a disk that it cannot look at for a full one, and says so once", async () => {
  await withRoom(async (at) => {
    at.disk.freeBytes = NaN;
    for (let time = 0; time < 2; time++) assert.equal(await at.keep(), "disk");
    assert.equal(at.room.promise("acme", EACH), "disk");
    assert.equal(at.room.isDiskFull, true);
    assert.deepEqual(at.told, ["acme disk: no such folder"]);
    assert.match(keptWarnings(at.room).join(), /not kept: the data dir cannot be looked at/);
    at.disk.freeBytes = 1_000_000;
    assert.equal(typeof await at.keep(), "number");
    assert.equal(at.room.isDiskFull, false);
    at.disk.freeBytes = 0;
    at.clock.advance(2_000);
    assert.equal(await at.keep(), "disk");
    assert.match(keptWarnings(at.room).join(), /not kept: the disk is full/);
    assert.deepEqual(at.told.slice(1), ["acme disk"], "of another cause");
  });
});
