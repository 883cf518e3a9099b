import assert from "node:assert/strict";
import { VideoTasks } from "../../src/videos/video_tasks.ts";
import { VideoWorld } from "../support/video_world.ts";

async function idleWorld(): Promise<{ world: VideoWorld; tasks: VideoTasks }> {
  const world = await VideoWorld.create({ projects: ["p", "q"] });
  await world.start({ isIdle: true });
  const tasks = new VideoTasks({
    book: world.boot.book,
    films: world.files,
    leftovers: world.boot.leftovers,
    videos: world.storage.videos,
    prices: world.storage.catalogue,
    clock: world.timeline.clock,
    pauses: world.pauses,
    deletedVideoCharge: "progress",
    onError: (error) => {
      throw error;
    },
  });
  return { world, tasks };
}

Deno.test("VideoTasks.page() goes on behind a task that was deleted since, for its project alone", async () => {
  const { world, tasks } = await idleWorld();
  await using _world = world;
  const made = [];
  for (let number = 0; number < 5; number++) made.push(await world.create());
  const newestFirst = made.map(({ id }) => id).reverse();
  const page = (after: string | undefined, projectId = "p") =>
    tasks.page({ projectId, limit: 2, order: "desc", after });

  const seen: string[] = [];
  for (let after: string | undefined, hasMore = true; hasMore; after = seen.at(-1)) {
    const found = await page(after);
    assert.ok(found !== undefined);
    for (const { id } of found.tasks) {
      seen.push(id);
      assert.equal(await tasks.removeOwn("p", id), "deleted");
    }
    hasMore = found.hasMore;
  }
  assert.deepEqual(seen, newestFirst);
  assert.equal(await page(newestFirst[0], "q"), undefined);
  assert.equal(await page("video_aaaaaaaaaaaaaaaaaaaaaaaaaa"), undefined);
  assert.equal(await tasks.find(newestFirst[0]!), undefined);
});

Deno.test("VideoTasks notes that an id is used and that a film is fetched, each once, side by side", async () => {
  const { world, tasks } = await idleWorld();
  await using _world = world;
  const { id } = await world.create();
  const { book } = world.boot;
  const found = await tasks.findOwn("p", id);
  tasks.noteFetched(found!, 5);
  tasks.noteFetched(found!, 6);
  await world.timeline.until(() => book.known(id)?.fetchedAt !== undefined);
  const stored = await world.stored(found!);
  assert.deepEqual([stored.isIdUsed, stored.fetchedAt, stored.revision], [true, 5, 3]);
  tasks.noteFetched(stored, 7);
  await world.timeline.settle();
  assert.deepEqual(await world.stored(found!), stored);
});
