import assert from "node:assert/strict";
import { createFilmEncoder } from "../../encode/film_encoder.ts";
import { keyFrameBox } from "../../encode/key_frames.ts";
import { leafBoxes, readBoxes } from "../../encode/mp4_boxes.ts";
import { createFrame } from "../../frame.ts";

const SHAPE = { width: 64, height: 64, framesPerSecond: 24 };

async function encode(frames: number): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = await createFilmEncoder(SHAPE);
  for (let index = 0; index < frames; index++) {
    const frame = createFrame(SHAPE.width, SHAPE.height);
    frame.data.fill(index % 200);
    encoder.add(frame);
  }
  return encoder.finish();
}

function indexOf(film: Uint8Array) {
  return readBoxes(film).find(({ type }) => type === "moov")!;
}

Deno.test("createFilmEncoder() names the first picture of each second as one to seek to", async () => {
  for (const [frames, expected] of [[1, [1]], [24, [1]], [60, [1, 25, 49]]] as const) {
    const film = await encode(frames);
    const found = leafBoxes(film, indexOf(film)).filter(({ type }) => type === "stss");
    assert.equal(found.length, 1);
    const { content, end } = found[0]!;
    const view = new DataView(film.buffer, content, end - content);
    assert.deepEqual([view.getUint32(0), view.getUint32(4)], [0, expected.length]);
    const numbers = expected.map((_, at) => view.getUint32(8 + 4 * at));
    assert.deepEqual(numbers, expected);
    assert.equal(view.byteLength, 8 + 4 * expected.length);
  }
});

Deno.test("keyFrameBox() refuses a film whose index lacks a table", async () => {
  const film = await encode(2);
  const stsc = leafBoxes(film, indexOf(film)).find(({ type }) => type === "stsc")!;
  film.set(new TextEncoder().encode("skip"), stsc.start + 4);

  assert.throws(() => keyFrameBox(film, indexOf(film)), {
    name: "RangeError",
    message: /no box 'stsc'/,
  });
});
