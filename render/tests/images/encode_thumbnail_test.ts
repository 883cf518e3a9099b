import assert from "node:assert/strict";
import { createFrame } from "../../frame.ts";
import { decodeImage } from "../../images/decode_image.ts";
import { encodeThumbnail } from "../../images/encode_thumbnail.ts";
import { fitImage } from "../../images/fit_image.ts";
import { inspectImage } from "../../images/inspect_image.ts";
import { JPEG, makeImage, needsFfmpeg, psnr } from "../film_probe.ts";

Deno.test("encodeThumbnail() gives a WebP of at most 640 pixels a side, in proportion", async () => {
  const sizes = [
    [720, 1280, 360, 640],
    [1792, 1024, 640, 366],
    [640, 360, 640, 360],
    [64, 48, 64, 48],
  ] as const;
  for (const [width, height, smallWidth, smallHeight] of sizes) {
    const file = await encodeThumbnail(createFrame(width, height));
    assert.deepEqual(inspectImage(file), {
      type: "image/webp",
      width: smallWidth,
      height: smallHeight,
    });
  }
});

Deno.test("encodeThumbnail() shows the frame in its colours", needsFfmpeg, async () => {
  const film = { width: 640, height: 360 };
  const original = await decodeImage(await makeImage("640x360", ...JPEG));

  const thumbnail = await decodeImage(await encodeThumbnail(fitImage(original, film)));

  assert.ok(psnr(thumbnail.rgba, original.rgba) > 22, `${psnr(thumbnail.rgba, original.rgba)}`);
  const flat = await decodeImage(await encodeThumbnail(createFrame(64, 48)));
  // Luma 0 and chroma 0 lie outside the range: what remains of them is dark green.
  assert.ok(flat.rgba[0]! < 10 && flat.rgba[1]! > 50 && flat.rgba[2]! < 10);
});
