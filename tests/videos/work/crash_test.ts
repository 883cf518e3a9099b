import assert from "node:assert/strict";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { sweepOrphans } from "../../../src/videos/keep/sweeper.ts";
import { COMPLETED, contentOf, fakeFilm } from "../../support/fake_video_upstream.ts";
import { FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

/** A change of a task, if the entry is one. */
function changed(entry: Entry): VideoTask | undefined {
  return entry.kind === "change_video" ? entry.task : undefined;
}

const isClaim = (entry: Entry) =>
  changed(entry)?.lease !== undefined && changed(entry)?.job === undefined;
const isNoted = (entry: Entry) => changed(entry)?.mayHaveBegun === true;
const isJob = (entry: Entry) => changed(entry)?.job !== undefined;
const isCompletion = (entry: Entry) => changed(entry)?.status === "completed";

type Crash = "before" | "after";

for (
  const [step, isStep, when, orders] of [
    ["before the claim is written", isClaim, "before", [1, 1]],
    ["after the claim", isClaim, "after", [1, 1]],
    ["before it notes that an upstream is asked", isNoted, "before", [1, 1]],
    ["after the job is stored", isJob, "after", [1, 1]],
    ["after the rename, before the completion is written", isCompletion, "before", [1, 2]],
    ["after the completion is written", isCompletion, "after", [1, 1]],
  ] as const
) {
  for (const [index, where] of (["acme", "here"] as const).entries()) {
    if (where === "here" && (isStep === isJob || isStep === isNoted)) continue;
    Deno.test(`a process that dies ${step} at '${where}' leaves a task that completes exactly once`, async () => {
      await using world = await VideoWorld.create({ routes: [videoRoute(where)] });
      await world.start();
      let rendered = 0;
      world.onRender = () => {
        rendered++;
        return Promise.resolve({
          film: fakeFilm(),
          thumbnail: new Uint8Array([1]),
          frames: 96,
        });
      };
      world.crashAt = (entry): Crash | undefined => isStep(entry) ? when : undefined;
      const task = await world.create({ provider: where, route: `${where}/film` });
      await world.timeline.until(() => !world.isAlive);
      assert.deepEqual(
        await world.ledgerOf(task),
        when === "after" && isStep === isCompletion ? [`settle ${FILM_SALE_E8}`] : [],
      );

      const { book, runner, ledger } = await world.start({ isIdle: true });
      await sweepOrphans({
        book,
        videos: world.storage.videos,
        files: world.files,
        sessions: world.sessions,
      });
      await runner.start();
      const done = await world.untilEnded(task);
      await world.untilIdle();
      assert.equal(done.status, "completed");
      assert.equal(done.failures, 0);
      assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
      assert.equal(ledger.balanceOf("p").held, 0n);
      const names = [`${task.id}.mp4`, ...(where === "here" ? [`${task.id}.webp`] : [])];
      assert.deepEqual(await world.fileNames(), names);
      const film = await Deno.readFile(world.files.contentPath(task.id));
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", film)).toHex();
      assert.equal(done.file!.sha256, digest);
      assert.equal(done.file!.bytes, film.length);
      assert.equal(where === "acme" ? world.acme.orders.length : rendered, orders[index]);
    });
  }
}

for (
  const [step, isStep, when, orders] of [
    ["after it notes that an upstream is asked", isNoted, "after", 0],
    ["before the job is stored", isJob, "before", 1],
  ] as const
) {
  Deno.test(`a process that dies ${step} leaves a task that fails, is a loss, and is asked for nowhere`, async () => {
    await using world = await VideoWorld.create({
      routes: [videoRoute("acme"), videoRoute("zeta")],
    });
    await world.start();
    world.crashAt = (entry): Crash | undefined => isStep(entry) ? when : undefined;
    const task = await world.create({ provider: "acme", route: "acme/film" });
    await world.timeline.until(() => !world.isAlive);
    assert.deepEqual(await world.ledgerOf(task), []);

    const { ledger } = await world.start();
    const failed = await world.untilEnded(task);
    assert.equal(failed.status, "failed");
    assert.match(
      failed.error!.message,
      /nobody knows whether it makes it.*create the video again$/,
    );
    assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${FILM_SALE_E8}`]);
    assert.equal(ledger.balanceOf("p").held, 0n);
    await world.untilIdle();
    assert.deepEqual([world.acme.orders.length, world.zeta.orders.length], [orders, 0]);
    assert.deepEqual(await world.fileNames(), []);
  });
}

Deno.test("a process that dies during a download leaves a task that fetches its film again", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  await world.start();
  const task = await world.create({ provider: "acme", route: "acme/film" });
  const dead = Promise.withResolvers<undefined>();
  world.acme.onContent = () => {
    const content = contentOf(fakeFilm());
    let reads = 0;
    return {
      ...content,
      read() {
        if (++reads < 3) return content.read();
        world.crash();
        return dead.promise;
      },
    };
  };
  await world.timeline.until(() => !world.isAlive);
  assert.deepEqual(await world.fileNames(), [`${task.id}.part`]);
  world.acme.onContent = () => contentOf(fakeFilm());
  await world.start();
  assert.equal((await world.untilEnded(task)).status, "completed");
  await world.untilIdle();
  assert.deepEqual(await world.fileNames(), [`${task.id}.mp4`]);
  assert.equal(world.acme.orders.length, 1);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  // Closes the file that the dead process would have taken with it.
  dead.reject(new Error("dead"));
  await world.timeline.settle();
});

Deno.test("Runner.start() rescues what another process had claimed, all of it, before it resolves", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme")],
    runner: { tasksPerProject: 2_000 },
  });
  const { book } = await world.start({ isIdle: true });
  const tasks: VideoTask[] = [];
  for (let index = 0; index < 1_200; index++) {
    tasks.push(await world.create({ provider: "acme", route: "acme/film" }));
  }
  await Promise.all(tasks.map(({ id }) =>
    book.change(id, () => ({
      set: { status: "in_progress", attempt: 1, lease: { session: 99, until: 9e15 } },
    }))
  ));
  world.crash();
  world.acme.onStart = () => new Promise(() => {});
  const { runner } = await world.start();
  assert.equal(world.events.filter(({ kind }) => kind === "rescued").length, 1_200);
  assert.equal(runner.waiting + runner.running, 1_200);
  assert.equal((await world.stored(tasks[1_199]!)).restarts, 1);
});

Deno.test("Runner.start() fails a task that was restarted too often, and tells its caller so", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const AT_ACME = { provider: "acme", route: "acme/film" };
  const job = { id: "job_9", keyReference: "env:KEY", startedAt: 1 };
  const [last, over, begun] = [
    await world.create(),
    await world.create(),
    await world.create(AT_ACME),
  ];
  for (const [task, restarts] of [[last, 9], [over, 10], [begun, 10]] as const) {
    await book.change(task.id, () => ({
      set: {
        status: "in_progress",
        attempt: 5,
        restarts,
        lease: { session: 99, until: 0 },
        ...(task === begun ? { job } : {}),
      },
    }));
  }
  world.crash();
  world.acme.onStatus = () => COMPLETED;
  await world.start();
  const failed = await world.stored(over);
  assert.equal(failed.status, "failed");
  assert.equal(failed.error!.code, "video_generation_failed");
  assert.match(failed.error!.message, /restarted too often/);
  assert.deepEqual(await world.ledgerOf(over), ["release 0"]);
  assert.equal((await world.stored(begun)).status, "failed");
  assert.deepEqual(await world.ledgerOf(begun), ["release 0", `loss ${FILM_SALE_E8}`]);
  assert.deepEqual(world.acme.cancelled, ["job_9"]);
  assert.equal((await world.untilEnded(last)).status, "completed");
});

Deno.test("a task that was begun a day ago when the process starts again fails with the first sweep", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  const dayMs = 86_400_000;
  await world.start({ isIdle: true });
  const startedAt = world.timeline.clock.now() - dayMs + 60_000;
  const AT_ACME = { provider: "acme", route: "acme/film", startedAt };
  const [old, older] = [
    await world.create(AT_ACME),
    await world.create({ ...AT_ACME, startedAt: startedAt - 61_000 }),
  ];
  world.crash();
  world.acme.onStart = () => new Promise(() => {});
  await world.start();
  await world.timeline.advance(10_000);
  assert.equal((await world.untilEnded(older, 1_000)).status, "failed");
  assert.equal((await world.stored(old)).status, "in_progress");
  await world.timeline.until(async () => (await world.stored(old)).status === "failed", 61_000);
});
