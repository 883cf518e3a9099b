import assert from "node:assert/strict";
import { deleteVideo } from "../../src/videos/delete_video.ts";
import { CREDIT_E8, FILM_COST_E8, FILM_SALE_E8, videoRoute } from "../support/video_parts.ts";
import { VideoWorld } from "../support/video_world.ts";

const JOB = { id: "job_1", keyReference: undefined, startedAt: 1 };

async function scene() {
  const world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const deps = { book, files: world.files, prices: world.storage.catalogue };
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
    assert.equal((await deleteVideo(deps, task.id))?.id, task.id);
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
    assert.equal(await deleteVideo(deps, task.id), undefined);
  });
}

Deno.test("deleteVideo() leaves a task that may not be deleted", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  assert.equal(await deleteVideo(deps, task.id, { isWanted: () => false }), undefined);
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
  await deleteVideo({ ...deps, prices }, task.id);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${heldE8}`]);
  assert.deepEqual(world.boot.ledger.balanceOf("p"), {
    projectId: "p",
    avail: CREDIT_E8,
    held: 0n,
  });
});

Deno.test("deleteVideo() twice at one time deletes once", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  const results = await Promise.all([1, 2, 3].map(() => deleteVideo(deps, task.id)));
  assert.equal(results.filter((one) => one !== undefined).length, 1);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

Deno.test("deleteVideo() changes nothing while the disk is full", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const task = await world.create();
  await world.files.writeReference(task.id, new Uint8Array([1]));
  world.refuse = () => ({ ok: false, reason: "full", message: "no space" });
  await assert.rejects(deleteVideo(deps, task.id), { error: "storage_full" });
  assert.deepEqual(await world.stored(task), task);
  assert.deepEqual(await world.fileNames(), [`${task.id}.input`]);
});
