import assert from "node:assert/strict";
import { DiskRoom } from "../../src/videos/disk_room.ts";
import { estimateFilmBytes } from "../../src/videos/film_bytes.ts";
import { withdrawn } from "../support/video_endings.ts";
import { VideoWorld } from "../support/video_world.ts";

const FILM = estimateFilmBytes({ size: "640x360", seconds: 4 });
const RESERVE = 4 * 1024 ** 2;

Deno.test("DiskRoom has room for what fits beside all open tasks and the reserve", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const early = await world.create();
  let free = RESERVE + 3 * FILM;
  const room = new DiskRoom({ book, files: { freeBytes: () => free } });
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

  free = RESERVE - 1;
  assert.equal(room.hasRoomFor(0), false);
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
  Deno.test(`estimateFilmBytes() keeps ${bytes} bytes for ${seconds} s of ${size}`, () => {
    assert.equal(estimateFilmBytes({ size, seconds }), bytes);
  });
}
