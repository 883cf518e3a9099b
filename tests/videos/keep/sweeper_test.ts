import assert from "node:assert/strict";
import { sweepOrphans } from "../../../src/videos/keep/sweeper.ts";
import { loneSession, type SessionId } from "../../../src/domain/session.ts";
import { ContentFiles } from "../../../src/videos/files/content_files.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { VideoWorld } from "../../support/video_world.ts";

const ONE = new Uint8Array([1]);

async function fill(world: VideoWorld, id: string): Promise<void> {
  const { files } = world;
  await files.keep({ id }, { part: await files.openPart(id), hasThumbnail: false });
  await files.writeThumbnail(id, ONE);
  await files.writeReference(id, ONE);
  (await files.openPart(id)).close();
}

Deno.test("sweepOrphans() removes parts, references that nobody needs and files without a task", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const open = await world.create();
  const ended = await world.create();
  await book.change(ended.id, (task) => ({
    set: { status: "failed", error: { code: "x", message: "x" } },
    close: withdrawn(task).close!,
  }));
  const unknown = `video_${"q".repeat(26)}`;
  for (const { id } of [open, ended, { id: unknown }]) await fill(world, id);
  const stranger = `${world.files.folder}/notes.txt`;
  await Deno.writeTextFile(stranger, "mine");

  const swept = {
    book,
    videos: world.storage.videos,
    files: world.files,
    // Number 2 is another one that lives. Nothing of number 3, our own, can be there already.
    sessions: { own: 3, hasEnded: (session: SessionId) => session < 2 },
  };
  // A database that was restored counts again what a later one has counted already.
  for (const session of [1, 2, 3]) {
    (await new ContentFiles(world.files.folder, session).openPart(open.id)).close();
  }
  // Three parts, one of the session before and one of our number, two references, and the films and thumbnails of no task and of a failed one.
  assert.equal(await sweepOrphans(swept), 11);
  assert.deepEqual(
    await world.fileNames(),
    [
      `${open.id}.2.part`,
      `${open.id}.input`,
      `${open.id}.mp4`,
      `${open.id}.webp`,
    ].sort(),
  );
  assert.equal(await Deno.readTextFile(stranger), "mine");
  assert.equal(await sweepOrphans(swept), 0);
});

Deno.test("sweepOrphans() goes through more files than it asks storage about at one time", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const kept = await world.create();
  await Deno.writeFile(world.files.contentPath(kept.id), ONE);
  for (let count = 0; count < 1_100; count++) {
    const name = count.toString(2).padStart(26, "0").replaceAll("0", "a").replaceAll("1", "b");
    await Deno.writeFile(world.files.contentPath(`video_${name}`), ONE);
  }
  assert.equal(
    await sweepOrphans({
      book,
      videos: world.storage.videos,
      files: world.files,
      sessions: loneSession(2),
    }),
    1_100,
  );
  assert.deepEqual(await world.fileNames(), [`${kept.id}.mp4`]);
});
