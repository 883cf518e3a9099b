import assert from "node:assert/strict";
import { createVideo } from "../../src/videos/create_video.ts";
import { CreatesUnderWay } from "../../src/videos/creates_under_way.ts";
import { createDeps, createRequest, plainAnswer } from "../support/video_creating.ts";
import { VideoWorld } from "../support/video_world.ts";

async function scene() {
  const world = await VideoWorld.create({ projects: ["p", "q"] });
  await world.start({ isIdle: true });
  return {
    world,
    deps: createDeps(world),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

Deno.test("createVideo() answers a retry with the first task whose answer was lost, for 10 minutes", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const first = await createVideo(deps, createRequest(world), plainAnswer);
  const retry = () => createVideo(deps, createRequest(world, { isRetry: true }), plainAnswer);
  assert.deepEqual(await retry(), first);
  await world.timeline.advance(599_000);
  assert.deepEqual(await retry(), first);
  await world.timeline.advance(2_000);
  assert.notEqual((await retry()).task.id, first.task.id);
});

Deno.test("createVideo() makes another task for what is no retry of this project's request", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const first = await createVideo(deps, createRequest(world), plainAnswer);
  const others = [
    createRequest(world),
    createRequest(world, { isRetry: true, prompt: "Another" }),
    createRequest(world, { isRetry: true }, { project: { id: "q" } }),
  ];
  for (const request of others) {
    const { task } = await createVideo(deps, request, plainAnswer);
    assert.notEqual(task.id, first.task.id);
  }
});

Deno.test("createVideo() makes another task once the caller has used the first one's id", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const { task } = await createVideo(deps, createRequest(world), plainAnswer);
  await world.boot.book.change(task.id, () => ({ set: { isIdUsed: true } }));
  const retry = await createVideo(deps, createRequest(world, { isRetry: true }), plainAnswer);
  assert.notEqual(retry.task.id, task.id);
});

Deno.test("createVideo() tells requests with idempotency keys apart by their keys alone", async () => {
  await using at = await scene();
  const { world, deps } = at;
  const first = await createVideo(deps, createRequest(world), plainAnswer);
  const answer = {
    write: plainAnswer.write,
    toRecord: (body: string) => ({
      projectId: "p",
      path: "/videos",
      key: "second",
      fingerprint: "f",
      requestId: "req_1",
      status: 200,
      stream: undefined,
      body,
      createdAt: 1,
      expiresAt: Number.MAX_SAFE_INTEGER,
    }),
  };
  const second = await createVideo(deps, createRequest(world, { isRetry: true }), answer);
  assert.notEqual(second.task.id, first.task.id);
});

Deno.test("createVideo() lets a retry wait for the first try that is still under way", async () => {
  await using at = await scene();
  const { world } = at;
  const gate = Promise.withResolvers<void>();
  const deps = createDeps(world, {
    references: { check: () => gate.promise.then(() => "image/png") },
  });
  const parts = { reference: new Uint8Array([1]) };
  const first = createVideo(deps, createRequest(world, parts), plainAnswer);
  const retries = [1, 2].map(() =>
    createVideo(deps, createRequest(world, { ...parts, isRetry: true }), plainAnswer)
  );
  gate.resolve();
  const made = await Promise.all([first, ...retries]);
  assert.equal(new Set(made.map(({ task }) => task.id)).size, 1);
  assert.equal([...world.boot.book.openTasks()].length, 1);
});

Deno.test("CreatesUnderWay.run() lets one retry lead when the first try failed, and others follow it", async () => {
  await using at = await scene();
  const { world } = at;
  const task = await world.create();
  const underWay = new CreatesUnderWay();
  const identity = { projectId: "p", fingerprint: "f" };
  const fails = () => Promise.reject(new RangeError("refused"));
  const first = underWay.run(identity, { isRetry: false, create: fails });
  let leads = 0;
  const retries = [1, 2, 3].map(() =>
    underWay.run(identity, {
      isRetry: true,
      create: () => {
        leads++;
        return Promise.resolve(task);
      },
    })
  );
  await assert.rejects(first, RangeError);
  assert.deepEqual(await Promise.all(retries), [task, task, task]);
  assert.equal(leads, 1);
});
