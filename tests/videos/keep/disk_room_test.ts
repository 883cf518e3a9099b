import assert from "node:assert/strict";
import { DiskRoom } from "../../../src/videos/keep/disk_room.ts";
import { estimateContentBytes } from "../../../src/videos/files/content_bytes.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { VideoWorld } from "../../support/video_world.ts";

const FILM = estimateContentBytes({ size: "640x360", seconds: 4 });

Deno.test("DiskRoom has room for what fits beside all open tasks", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const early = await world.create();
  let free = 3 * FILM;
  const room = new DiskRoom({ book, files: { partBytes: () => 0 }, freeBytes: () => free });
  assert.deepEqual([room.hasRoomFor(2 * FILM), room.hasRoomFor(2 * FILM + 1)], [true, false]);

  const late = await world.create();
  assert.deepEqual([room.hasRoomFor(FILM), room.hasRoomFor(FILM + 1)], [true, false]);
  await book.change(late.id, () => ({ set: { status: "in_progress", attempt: 1 } }));
  assert.equal(room.hasRoomFor(FILM + 1), false, "a task that is begun still needs its room");

  await book.change(late.id, (task) => ({
    set: { status: "failed", error: { code: "x", message: "x" } },
    close: withdrawn(task).close!,
  }));
  assert.equal(room.hasRoomFor(2 * FILM), true);
  await book.remove(late.id, withdrawn);
  assert.equal(room.hasRoomFor(2 * FILM + 1), false, "its end counted once");
  await book.remove(early.id, withdrawn);
  assert.equal(room.hasRoomFor(3 * FILM), true);

  free = 0;
  assert.equal(room.hasRoomFor(0), false);
});

Deno.test("DiskRoom counts for a film to begin what is under way, without what is written of it", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const [begun, halfWritten] = [await world.create(), await world.create()];
  for (let count = 0; count < 10; count++) await world.create();
  const written = new Map([[halfWritten.id, 500_000]]);
  let free = 3 * FILM;
  const room = new DiskRoom({
    book,
    files: { partBytes: (id) => written.get(id) ?? 0 },
    freeBytes: () => free,
  });
  assert.equal(room.hasRoomFor(0), false, "not for all that are promised");
  assert.equal(room.bytesBeside([]), 3 * FILM);
  assert.equal(room.bytesBeside([begun, halfWritten]), FILM + 500_000);
  written.set(halfWritten.id, 2 * FILM);
  assert.equal(room.bytesBeside([begun, halfWritten]), 2 * FILM, "a larger one takes no more");
  free = 0;
  assert.equal(room.bytesBeside([]), 0);
});

for (
  const [size, seconds, bytes] of [
    ["640x360", 4, 691_200],
    ["1280x720", 12, 8_294_400],
    ["640x360", 3_600, 622_080_000],
    ["1x1", 1, 1],
    ["nonsense", 1, 1_555_200],
  ] as const
) {
  Deno.test(`estimateContentBytes() keeps ${bytes} bytes for ${seconds} s of ${size}`, () => {
    assert.equal(estimateContentBytes({ size, seconds }), bytes);
  });
}
