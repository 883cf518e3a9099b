import assert from "node:assert/strict";
import { deleteVideo } from "../../src/videos/delete_video.ts";
import { checkLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import type { CommitQueue } from "../../src/storage/ports/commit_queue.ts";
import { TaskBook, type TaskChange } from "../../src/videos/task/task_book.ts";
import { CREDIT_E8, FILM_COST_E8, FILM_SALE_E8, videoRoute } from "../support/video_parts.ts";
import { VideoWorld } from "../support/video_world.ts";

const FREE = { charge: "free" } as const;
const BY_PROGRESS = { charge: "progress" } as const;
const FULL = { charge: "full" } as const;
const LEASE = { session: 1, until: 1 };
const JOB = { id: "job_1", keyReference: undefined, startedAt: 1 };

async function scene() {
  const world = await VideoWorld.create();
  const { book, leftovers } = await world.start({ isIdle: true });
  const deps = { book, leftovers, prices: world.storage.catalogue };
  return { world, book, deps, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

for (
  const [what, hasJob, rows] of [
    ["that waits", false, ["release 0"]],
    ["whose upstream has begun", true, ["release 0", `loss ${FILM_SALE_E8}`]],
  ] as const
) {
  Deno.test(`deleteVideo() charges nobody for a task ${what}: ${rows.join(", ")}`, async () => {
    await using at = await scene();
    const { world, book, deps } = at;
    const task = await world.create({ route: "acme/film" });
    if (hasJob) {
      await book.change(task.id, () => ({ set: { status: "in_progress", attempt: 1, job: JOB } }));
    }
    await world.files.writeReference(task.id, new Uint8Array([1]));
    assert.equal((await deleteVideo(deps, task.id, FREE))?.id, task.id);
    assert.deepEqual(await world.ledgerOf(task), rows);
    assert.deepEqual(await world.fileNames(), []);
    assert.equal(await world.storage.videos.find(task.id), undefined);
    assert.deepEqual(book.callOf(task.id), undefined);
    assert.deepEqual(world.boot.ledger.balanceOf("p"), {
      projectId: "p",
      avail: CREDIT_E8,
      held: 0n,
    });
    const call = await world.storage.calls.find(task.callId);
    assert.equal(call?.state, "released");
    assert.equal(call?.state === "released" && call.costE8, hasJob ? FILM_COST_E8 : 0n);
    assert.equal(await deleteVideo(deps, task.id, FREE), undefined);
  });
}

Deno.test("deleteVideo() leaves a task that may not be deleted", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  assert.equal(await deleteVideo(deps, task.id, { ...FREE, isWanted: () => false }), undefined);
  assert.deepEqual(await world.stored(task), task);
});

Deno.test("deleteVideo() books the loss of the route that the task has moved to meanwhile", async () => {
  await using at = await scene();
  const { world, book, deps } = at;
  const { models: [film] } = await world.writeCatalogue([
    videoRoute("acme"),
    videoRoute("zeta", { sale: "5" }),
  ]);
  const dear = film!.routes.find(({ id }) => id === "zeta/film")!;
  const task = await world.create({ route: "acme/film" });
  const call = book.callOf(task.id)!;
  const heldE8 = 2_000_000_000n;
  let asked = 0;
  const prices = {
    priceVersions: async (versions: readonly number[]) => {
      if (asked++ === 0) {
        await book.change(task.id, () => ({
          set: { status: "in_progress", attempt: 1, job: JOB, route: dear.id, provider: "zeta" },
          move: {
            ...call,
            route: dear.id,
            provider: "zeta",
            priceVersion: dear.prices.version,
            heldE8,
          },
        }));
      }
      return await world.storage.catalogue.priceVersions(versions);
    },
  };
  await deleteVideo({ ...deps, prices }, task.id, FREE);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${heldE8}`]);
  assert.deepEqual(world.boot.ledger.balanceOf("p"), {
    projectId: "p",
    avail: CREDIT_E8,
    held: 0n,
  });
});

Deno.test("deleteVideo() charges for a task that another node works on as that one would", async () => {
  await using at = await scene();
  const { world, book, deps } = at;
  const task = await world.create({ route: "acme/film" });
  await book.change(task.id, () => ({
    set: { status: "in_progress", attempt: 1, lease: LEASE, progress: 37 },
  }));
  // It has no task in memory, as that is the other one's.
  const elsewhere = new TaskBook({
    videos: world.storage.videos,
    calls: world.storage.calls,
    commits: {
      commit: async (entry) => (await world.storage.commitBatch([entry]))[0]!,
    } as CommitQueue,
    ledger: world.boot.ledger,
    onError: (error) => assert.fail(String(error)),
  });
  await deleteVideo({ ...deps, book: elsewhere }, task.id, BY_PROGRESS);
  assert.deepEqual(await world.ledgerOf(task), ["settle 444000000"]);
});

Deno.test("deleteVideo() twice at one time deletes once", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  const results = await Promise.all([1, 2, 3].map(() => deleteVideo(deps, task.id, FREE)));
  assert.equal(results.filter((one) => one !== undefined).length, 1);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

Deno.test("deleteVideo() changes nothing while the disk is full", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  await world.files.writeReference(task.id, new Uint8Array([1]));
  world.refuse = () => ({ ok: false, reason: "full", message: "no space" });
  await assert.rejects(deleteVideo(deps, task.id, FREE), { error: "storage_full" });
  assert.deepEqual(await world.stored(task), task);
  assert.deepEqual(await world.fileNames(), [`${task.id}.input`]);
});

/** A film of 12 that is deleted in some state: the ledger rows of its call. */
const CHARGES: readonly (readonly [
  what: string,
  charge: typeof FREE | typeof BY_PROGRESS | typeof FULL,
  state: TaskChange["set"] | undefined,
  rows: readonly string[],
])[] = [
  ["that waits", FULL, undefined, ["release 0"]],
  ["that waits", BY_PROGRESS, undefined, ["release 0"]],
  ["that is rendered", FREE, { lease: LEASE, progress: 37 }, ["release 0"]],
  ["that is rendered", BY_PROGRESS, { lease: LEASE, progress: 37 }, ["settle 444000000"]],
  ["that is rendered", FULL, { lease: LEASE, progress: 37 }, ["settle 1200000000"]],
  ["that has just been claimed", BY_PROGRESS, { lease: LEASE }, ["release 0"]],
  ["that has just been claimed", FULL, { lease: LEASE }, ["settle 1200000000"]],
  ["that its upstream makes", BY_PROGRESS, { job: JOB, progress: 99 }, ["settle 1188000000"]],
  // An upstream that says nothing of its progress: what it may bill is the operator's loss.
  ["that its upstream makes", BY_PROGRESS, { job: JOB }, ["release 0", "loss 1200000000"]],
  ["that its upstream makes", FREE, { job: JOB, progress: 5 }, ["release 0", "loss 1200000000"]],
  // Its attempts have failed so far.
  ["that waits for another attempt", BY_PROGRESS, { progress: 60 }, ["release 0"]],
  ["that waits for another attempt", FULL, { progress: 60 }, ["release 0"]],
];

for (const [what, charge, state, rows] of CHARGES) {
  const name = `${charge.charge} of a film ${what} at ${state?.progress ?? 0} %`;
  Deno.test(`deleteVideo() books ${name}: ${rows.join(", ")}`, async () => {
    await using at = await scene();
    const { world, book, deps } = at;
    const task = await world.create({ route: "acme/film" });
    if (state !== undefined) {
      await book.change(task.id, () => ({ set: { status: "in_progress", attempt: 1, ...state } }));
    }
    await deleteVideo(deps, task.id, charge);
    assert.deepEqual(await world.ledgerOf(task), rows);
    const charged = rows[0]!.startsWith("settle ") ? BigInt(rows[0]!.slice(7)) : 0n;
    const { avail, held } = world.boot.ledger.balanceOf("p");
    assert.deepEqual([avail, held], [CREDIT_E8 - charged, 0n]);
    assert.deepEqual((await checkLedger(world.storage)).differences, []);
  });
}

Deno.test("deleteVideo() charges what is done when it deletes, once, whoever is quicker", async () => {
  await using at = await scene();
  const { world, book, deps } = at;
  const { models: [film] } = await world.writeCatalogue([
    videoRoute("acme", { sale: "0.00000033" }),
  ]);
  assert.equal(film!.routes.length, 1);
  world.holder.swap(await world.writeCatalogue([videoRoute("acme", { sale: "0.00000033" })]));
  const task = await world.create({ route: "acme/film" });
  const running = (progress: number) => (_: VideoTask): TaskChange => ({
    set: { status: "in_progress", attempt: 1, lease: LEASE, progress },
  });
  const results = await Promise.all([
    book.change(task.id, running(10)),
    book.change(task.id, running(25)),
    deleteVideo(deps, task.id, BY_PROGRESS),
    deleteVideo(deps, task.id, BY_PROGRESS),
  ]);
  assert.equal(results.filter((one) => one !== undefined).length, 3);
  const call = await world.storage.calls.find(task.callId);
  assert.equal(call?.state, "settled");
  assert.deepEqual(call?.video, { size: "640x360", seconds: 4, percent: 25 });
  // 4 seconds are 132: a quarter of it.
  assert.deepEqual(await world.ledgerOf(task), ["settle 33"]);
  assert.deepEqual((await checkLedger(world.storage)).differences, []);
});

Deno.test("deleteVideo() deletes a task whose files cannot be removed, and they go later", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  const inTheWay = `${world.files.contentPath(task.id)}/folder`;
  await Deno.mkdir(inTheWay, { recursive: true });
  assert.equal((await deleteVideo(deps, task.id, FREE))?.id, task.id);
  assert.equal(await world.storage.videos.find(task.id), undefined);
  await deps.leftovers.sweep();
  assert.deepEqual([deps.leftovers.size, world.fileFaults.length], [1, 1]);
  assert.match(String(world.fileFaults[0]), new RegExp(`files of ${task.id}`));
  await Deno.remove(inTheWay);
  await deps.leftovers.sweep();
  assert.equal(deps.leftovers.size, 0);
  assert.deepEqual([...Deno.readDirSync(world.files.folder)], []);
});
