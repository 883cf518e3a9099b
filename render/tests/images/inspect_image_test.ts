import assert from "node:assert/strict";
import { inspectImage } from "../../images/inspect_image.ts";
import { JPEG, LOSSLESS_WEBP, LOSSY_WEBP, makeImage, needsFfmpeg, PNG } from "../film_probe.ts";

const PROGRESSIVE = [0xff, 0xc2, 0, 17, 8, 0x01, 0x02, 0x03, 0x04, 3];

Deno.test("inspectImage() reads type and size from the header alone", needsFfmpeg, async () => {
  const files = [
    ["image/png", PNG],
    ["image/jpeg", JPEG],
    ["image/webp", LOSSY_WEBP],
    ["image/webp", LOSSLESS_WEBP],
  ] as const;
  for (const [type, output] of files) {
    const file = await makeImage("321x181", ...output);
    assert.deepEqual(inspectImage(file), { type, width: 321, height: 181 });
    assert.deepEqual(inspectImage(file.subarray(0, 1000)), { type, width: 321, height: 181 });
  }
});

Deno.test("inspectImage() reads an extended WebP's canvas, and refuses one that moves", () => {
  const still = extendedWebp({ flags: 0b0001_0000, width: 8192, height: 258 });
  assert.deepEqual(inspectImage(still), { type: "image/webp", width: 8192, height: 258 });
  const animated = extendedWebp({ flags: 0b0001_0010, width: 8192, height: 258 });
  assert.equal(inspectImage(animated), undefined);
});

Deno.test("inspectImage() finds a JPEG's frame behind metadata, padding and a preview", () => {
  const preview = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 9, 0, 9, 1];
  const exif = [0xff, 0xe1, 0, 2 + preview.length, ...preview];
  const file = Uint8Array.from([0xff, 0xd8, ...exif, 0xff, 0xff, ...PROGRESSIVE, 1, 2, 3]);
  assert.deepEqual(inspectImage(file), { type: "image/jpeg", width: 0x0304, height: 0x0102 });
});

Deno.test("inspectImage() gives undefined for what is no such image or has no pixels", () => {
  const text = new TextEncoder();
  const bad = [
    new Uint8Array(),
    Uint8Array.of(0xff, 0xd8),
    text.encode("GIF89a" + "\0".repeat(60)),
    text.encode("<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'></svg>"),
    text.encode("RIFF\0\0\0\0WAVEfmt " + "\0".repeat(60)),
    text.encode("RIFF\0\0\0\0WEBPVP8 " + "\0".repeat(60)),
    text.encode("RIFF\0\0\0\0WEBPVP8L" + "\0".repeat(60)),
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    pngHeader(0, 5),
    Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0]), // A segment beyond the end.
    Uint8Array.from([0xff, 0xd8, ...PROGRESSIVE.slice(0, 8)]),
    Uint8Array.from([0xff, 0xd8, 0xff, 0xda, 0, 2, ...PROGRESSIVE]), // A scan before its frame.
    Uint8Array.from([0xff, 0xd8, 0xff, 0xc4, 0, 0, 0, 0, 0, 0, 0, 0]),
  ];
  bad.forEach((bytes, index) => assert.equal(inspectImage(bytes), undefined, `file ${index}`));
  assert.deepEqual(inspectImage(pngHeader(7, 5)), { type: "image/png", width: 7, height: 5 });
});

Deno.test("inspectImage() reads from a part of a larger buffer", () => {
  const shifted = new Uint8Array(100);
  shifted.set(pngHeader(7, 5), 10);
  assert.equal(inspectImage(shifted.subarray(10, 43))?.width, 7);
});

function pngHeader(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

function extendedWebp(
  { flags, width, height }: { flags: number; width: number; height: number },
): Uint8Array {
  const bytes = new Uint8Array(40);
  bytes.set(new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8X"));
  bytes[20] = flags;
  const view = new DataView(bytes.buffer);
  view.setUint32(24, width - 1, true);
  view.setUint16(27, height - 1, true);
  return bytes;
}

Deno.test("inspectImage() gives up on a JPEG of nothing but padding", () => {
  const padding = new Array(20_000).fill(0xff);
  const file = Uint8Array.from([0xff, 0xd8, ...padding, ...PROGRESSIVE.slice(1), 1, 2, 3]);
  assert.equal(inspectImage(file), undefined);
});
