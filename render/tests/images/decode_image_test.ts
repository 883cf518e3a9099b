import jpegEncoder from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import jpegEncoderWasm from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm" with { type: "bytes" };
import { defaultOptions } from "@jsquash/jpeg/meta.js";
import assert from "node:assert/strict";
import { startCodec } from "../../images/codec_module.ts";
import { decodeImage } from "../../images/decode_image.ts";
import { ImageError } from "../../images/image_error.ts";
import {
  decodeRgb,
  JPEG,
  LOSSLESS_WEBP,
  LOSSY_WEBP,
  makeImage,
  needsFfmpeg,
  PNG,
  psnr,
} from "../film_probe.ts";
import { greyRows, pngFile } from "./png_file.ts";

const FORMATS = {
  "a PNG of 8 bits": PNG,
  "a PNG of 16 bits": [...PNG, "-pix_fmt", "rgba64be"],
  "a grey PNG": [...PNG, "-pix_fmt", "gray"],
  "a PNG with a palette": [...PNG, "-pix_fmt", "pal8"],
  "a PNG of 1 bit": [...PNG, "-pix_fmt", "monob"],
  "a JPEG": JPEG,
  "a grey JPEG": [...JPEG.slice(0, -1), "gray"],
  "a lossy WebP": LOSSY_WEBP,
  "a lossless WebP": LOSSLESS_WEBP,
};

for (const [name, output] of Object.entries(FORMATS)) {
  Deno.test(
    `decodeImage() shows what another decoder shows when given ${name}`,
    needsFfmpeg,
    async () => {
      const file = await makeImage("161x91", ...output);

      const { width, height, rgba } = await decodeImage(file);

      assert.deepEqual([width, height, rgba.length], [161, 91, 161 * 91 * 4]);
      // Decoders differ at sharp edges in how they spread colour that is stored at half size.
      assert.ok(psnr(opaqueRgb(rgba), await decodeRgb(file)) > (isSubsampled(name) ? 20 : 45));
    },
  );
}

Deno.test("decodeImage() keeps opacity", needsFfmpeg, async () => {
  for (const output of [PNG, LOSSLESS_WEBP]) {
    const half = await makeImage("20x20", "-vf", "format=rgba,colorchannelmixer=aa=0.5", ...output);
    const { rgba } = await decodeImage(half);
    assert.ok(Math.abs(rgba[3]! - 128) <= 1, `${rgba[3]}`);
  }
});

Deno.test("decodeImage() turns a JPEG as its Exif orientation says", needsFfmpeg, async () => {
  const upright = await makeImage("80x40", ...JPEG);
  const stored = await decodeImage(upright);

  const turned = await decodeImage(withOrientation(upright, 6));

  assert.deepEqual([turned.width, turned.height], [40, 80]);
  // Turned right by a quarter: the top right corner is what was top left.
  assert.deepEqual(turned.rgba.slice(39 * 4, 40 * 4), stored.rgba.slice(0, 4));
});

Deno.test(
  "decodeImage() says that a file is corrupt when it is cut short or damaged",
  needsFfmpeg,
  async () => {
    for (const output of [PNG, JPEG, LOSSY_WEBP, LOSSLESS_WEBP]) {
      const file = await makeImage("161x91", ...output);
      await assertRefused(file.subarray(0, file.length / 2), "corrupt");
      await assertRefused(file.subarray(0, file.length / 4), "corrupt");
      assert.equal((await decodeImage(file)).width, 161, "the next one is well");
    }
    const png = await makeImage("161x91", ...PNG);
    png[png.length >> 1]! ^= 0xff;
    await assertRefused(png, "corrupt");
  },
);

Deno.test("decodeImage() refuses what is no image", async () => {
  await assertRefused(new TextEncoder().encode("not an image at all"), "not_an_image");
});

Deno.test("decodeImage() refuses a picture of too many pixels by its header", async () => {
  await assertRefused(pngFile(65_535, 65_535, greyRows(1, 1)), "too_large");
  await assertRefused(pngFile(0x7fff_ffff, 0x7fff_ffff, greyRows(1, 1)), "too_large");
  await assertRefused(pngFile(5001, 5000, greyRows(1, 1)), "too_large");
});

Deno.test("decodeImage() refuses a PNG that holds much more than its header says, and inflates none of it", async () => {
  const before = Deno.memoryUsage().rss;
  const bomb = pngFile(4, 4, new Uint8Array(200_000_000));
  const small = bomb.length;
  assert.ok(small < 500_000);
  const made = Deno.memoryUsage().rss;

  const outcome = await decodeImage(bomb).then(({ rgba }) => rgba.length, (error) => error.kind);

  assert.equal(outcome, "corrupt");
  assert.ok(Deno.memoryUsage().rss - Math.max(before, made) < 100_000_000);
});

Deno.test("decodeImage() refuses a PNG with fewer pixels than its header says", async () => {
  await assertRefused(pngFile(3000, 3000, greyRows(3000, 10)), "corrupt");
});

Deno.test("decodeImage() refuses a JPEG that goes over its picture again and again", async () => {
  const file = await progressiveJpeg();
  const isScan = (at: number) => file[at] === 0xff && file[at + 1] === 0xda;
  const first = file.findIndex((_, at) => isScan(at));
  const second = file.findIndex((_, at) => at > first && isScan(at));
  const withScans = (count: number) => {
    const scans = Array.from({ length: count }, () => [...file.subarray(first, second)]).flat();
    return Uint8Array.from([...file.subarray(0, first), ...scans, ...file.subarray(first)]);
  };

  assert.equal((await decodeImage(file)).width, 64);
  assert.equal((await decodeImage(withScans(30))).width, 64);
  await assertRefused(withScans(100), "corrupt");
});

async function assertRefused(bytes: Uint8Array, kind: string): Promise<void> {
  await assert.rejects(decodeImage(bytes), (error) => {
    assert.ok(error instanceof ImageError);
    assert.equal(error.kind, kind);
    return true;
  });
}

function isSubsampled(name: string): boolean {
  return ["a JPEG", "a lossy WebP"].includes(name);
}

function opaqueRgb(rgba: Uint8ClampedArray): Uint8Array {
  return Uint8Array.from(rgba.filter((_, at) => at % 4 !== 3));
}

async function progressiveJpeg(): Promise<Uint8Array> {
  interface Encoder {
    encode(rgba: Uint8Array, width: number, height: number, options: unknown): Uint8Array;
  }
  const { codec } = await startCodec<Encoder>(jpegEncoder, jpegEncoderWasm);
  const rgba = Uint8Array.from({ length: 64 * 64 * 4 }, (_, at) => at % 251);
  return Uint8Array.from(codec.encode(rgba, 64, 64, { ...defaultOptions, progressive: true }));
}

/** Exif 2.32, 4.5: one directory with the one tag 0x0112. */
function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const exif = [
    ...new TextEncoder().encode("Exif\0\0MM"),
    ...[0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ];
  return Uint8Array.from([
    ...[0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2],
    ...exif,
    ...jpeg.subarray(2),
  ]);
}
