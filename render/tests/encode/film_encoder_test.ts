import assert from "node:assert/strict";
import { createFilmEncoder } from "../../encode/film_encoder.ts";
import { leafBoxes, readBoxes } from "../../encode/mp4_boxes.ts";
import { createFrame, type Frame } from "../../frame.ts";
import { decodeFilm, needsFfmpeg, probeFilm, psnr } from "../film_probe.ts";

const SIZES = [[720, 1280], [1280, 720], [1024, 1792], [1792, 1024], [640, 360]] as const;

for (const [width, height] of SIZES) {
  Deno.test(
    `finish() gives a film of ${width}x${height} that shows what was added`,
    needsFfmpeg,
    async () => {
      const frames = Array.from({ length: 6 }, (_, index) => drawn(width, height, index));
      const film = await encode(frames);

      const facts = await probeFilm(film);
      assert.deepEqual(
        [facts.codec_name, facts.width, facts.height, facts.pix_fmt],
        ["h264", width, height, "yuv420p"],
      );
      assert.deepEqual([facts.avg_frame_rate, facts.duration], ["24/1", "0.250000"]);
      assert.deepEqual([facts.nb_frames, facts.nb_read_frames], ["6", "6"]);
      const { color_range, color_space, color_transfer, color_primaries } = facts;
      assert.equal(color_range, "tv");
      assert.deepEqual([color_space, color_transfer, color_primaries], ["bt709", "bt709", "bt709"]);

      const shown = await decodeFilm(film);
      const size = frames[0]!.data.length;
      assert.equal(shown.length, 6 * size);
      frames.forEach(({ data }, index) => {
        const similarity = psnr(shown.subarray(index * size, (index + 1) * size), data);
        assert.ok(similarity > 35, `frame ${index}: ${similarity} dB`);
      });
      // The last rows and columns lie in blocks of 16 that the film's size cuts.
      const edge = shown.subarray((height - 4) * width, height * width);
      assert.ok(psnr(edge, frames[0]!.y.subarray((height - 4) * width)) > 32);
    },
  );
}

Deno.test("finish() puts the index first and nothing but pictures behind it", async () => {
  const film = await encode([drawn(64, 48, 0), drawn(64, 48, 1)]);

  assert.deepEqual(readBoxes(film).map(({ type }) => type), ["ftyp", "moov", "mdat"]);
});

Deno.test("finish() gives the same bytes for the same frames", async () => {
  const frames = [drawn(64, 48, 0), drawn(64, 48, 1)];

  const [one, other] = [await encode(frames), await encode(frames)];

  assert.deepEqual(one, other);
  const moov = readBoxes(one).find(({ type }) => type === "moov")!;
  const timed = leafBoxes(one, moov).filter(({ type }) => /^(mv|tk|md)hd$/.test(type));
  assert.equal(timed.length, 3);
  for (const { type, content } of timed) {
    assert.deepEqual([...one.subarray(content + 4, content + 12)], new Array(8).fill(0), type);
  }
});

Deno.test("add() throws when a frame is not of the film's size", async () => {
  const encoder = await createFilmEncoder({ width: 64, height: 48, framesPerSecond: 24 });
  assert.throws(() => encoder.add(createFrame(48, 64)), /frame of 48x64 to a film of 64x48/);
  encoder.close();
});

Deno.test("close() gives back a film that was not finished, and may come twice", async () => {
  for (const frames of [[], [drawn(64, 48, 0)]]) {
    const encoder = await createFilmEncoder({ width: 64, height: 48, framesPerSecond: 24 });
    frames.forEach((frame) => encoder.add(frame));
    encoder.close();
    encoder.close();
  }
  assert.ok((await encode([drawn(64, 48, 0)])).length > 500, "the next film is well");
});

async function encode(frames: readonly Frame[]): Promise<Uint8Array> {
  const { width, height } = frames[0]!;
  const encoder = await createFilmEncoder({ width, height, framesPerSecond: 24 });
  frames.forEach((frame) => encoder.add(frame));
  return encoder.finish();
}

/** A slope of brightness and colour with a bright square that moves. */
function drawn(width: number, height: number, index: number): Frame {
  const frame = createFrame(width, height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const inSquare = Math.abs(column - width / 4 - index * 6) < 20 && Math.abs(row - 24) < 20;
      frame.y[row * width + column] = inSquare
        ? 220
        : 30 + 150 * (column / width + row / height) / 2;
    }
  }
  for (let at = 0; at < frame.u.length; at++) {
    frame.u[at] = 90 + 80 * (at % (width / 2)) / width;
    frame.v[at] = 160 - 80 * at / frame.v.length;
  }
  return frame;
}
