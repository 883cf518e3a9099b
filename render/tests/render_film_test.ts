import assert from "node:assert/strict";
import { parseFilmFaults } from "../faults.ts";
import { decodeImage } from "../images/decode_image.ts";
import { fitImage } from "../images/fit_image.ts";
import { ImageError } from "../images/image_error.ts";
import { inspectImage } from "../images/inspect_image.ts";
import { renderFilm } from "../render_film.ts";
import { filmOrder } from "./film_orders.ts";
import {
  decodeFilm,
  JPEG,
  LOSSY_WEBP,
  makeImage,
  needsFfmpeg,
  PNG,
  probeFilm,
  psnr,
} from "./film_probe.ts";

const QUIET = { onProgress() {}, stopped: () => false };

Deno.test(
  "renderFilm() makes a film of the size and length that were ordered",
  needsFfmpeg,
  async () => {
    const { film, thumbnail, frames } = await renderFilm(
      filmOrder({ width: 640, height: 360, seconds: 2 }),
      QUIET,
    );

    const facts = await probeFilm(film);
    assert.equal(frames, 48);
    assert.deepEqual([facts.codec_name, facts.width, facts.height], ["h264", 640, 360]);
    assert.deepEqual([facts.nb_frames, facts.nb_read_frames], ["48", "48"]);
    assert.equal(facts.duration, "2.000000");
    assert.deepEqual(inspectImage(thumbnail), { type: "image/webp", width: 640, height: 360 });
  },
);

Deno.test("renderFilm() makes the same bytes of the same order", async () => {
  const [one, other] = [await renderFilm(filmOrder(), QUIET), await renderFilm(filmOrder(), QUIET)];

  assert.deepEqual(one, other);
});

Deno.test("renderFilm() tells of every frame, up to the whole film", async () => {
  const told: number[] = [];

  await renderFilm(filmOrder(), { ...QUIET, onProgress: (fraction) => told.push(fraction) });

  assert.deepEqual(told, Array.from({ length: 24 }, (_, index) => (index + 1) / 24));
});

Deno.test("renderFilm() stops before the next frame when told so", async () => {
  let frames = 0;
  const hooks = { onProgress: () => void frames++, stopped: () => frames === 5 };

  await assert.rejects(renderFilm(filmOrder(), hooks), { name: "RenderError", kind: "stopped" });

  assert.equal(frames, 5);
});

for (
  const [name, size, output] of [["PNG", "300x200", PNG], ["JPEG", "200x300", JPEG], [
    "WebP",
    "640x360",
    LOSSY_WEBP,
  ]] as const
) {
  Deno.test(
    `renderFilm() begins with the reference and leaves it for the scene when given a ${name}`,
    needsFfmpeg,
    async () => {
      const film = { width: 640, height: 360 };
      const reference = new Uint8Array(await makeImage(size, ...output));
      const image = fitImage(await decodeImage(reference), film).data;

      const withImage = await decodeFilm(
        (await renderFilm(filmOrder({ ...film, reference }), QUIET)).film,
      );
      const without = await decodeFilm((await renderFilm(filmOrder(film), QUIET)).film);

      const frameOf = (frames: Uint8Array, index: number) =>
        frames.subarray(index * image.length, (index + 1) * image.length);
      const begin = psnr(frameOf(withImage, 0), image);
      assert.ok(begin > 32, `frame 0 is the image: ${begin} dB`);
      const early = psnr(frameOf(withImage, 5), image);
      assert.ok(early < begin - 5, `it moves: ${early} dB`);
      assert.ok(psnr(frameOf(withImage, 12), image) < 25, "half-way it gives way");
      assert.ok(psnr(frameOf(withImage, 12), frameOf(without, 12)) < 25, "but is still there");
      const end = psnr(frameOf(withImage, 23), frameOf(without, 23));
      assert.ok(end > 28, `the end is the scene: ${end} dB`);
    },
  );
}

Deno.test("renderFilm() throws an ImageError when the reference cannot be used", async () => {
  const reference = new TextEncoder().encode("no image");
  await assert.rejects(renderFilm(filmOrder({ reference }), QUIET), (error) => {
    assert.ok(error instanceof ImageError);
    assert.equal(error.kind, "not_an_image");
    return true;
  });
});

Deno.test("renderFilm() fails half-way when its faults say so", async () => {
  let frames = 0;
  const hooks = { ...QUIET, onProgress: () => void frames++ };
  const order = filmOrder({ faults: parseFilmFaults("video-2:slow-1,fail") });

  await assert.rejects(renderFilm(order, hooks), { name: "RenderError", kind: "failed" });

  assert.equal(frames, 12);
});
