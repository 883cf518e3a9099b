import assert from "node:assert/strict";
import { VideoTasks } from "../../src/videos/video_tasks.ts";
import { VideoWorld } from "../support/video_world.ts";

async function idleWorld(): Promise<{ world: VideoWorld; tasks: VideoTasks }> {
  const world = await VideoWorld.create({ projects: ["p", "q"] });
  await world.start({ isIdle: true });
  const tasks = new VideoTasks({
    book: world.boot.book,
    files: world.files,
    videos: world.storage.videos,
    prices: world.storage.catalogue,
    deletedFilmCharge: "progress",
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
