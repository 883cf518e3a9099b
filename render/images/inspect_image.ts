/**
 * Reads what the header of an image file says, and nothing behind it.
 *
 * @module
 */

import type { ImageFacts } from "./image_facts.ts";

/**
 * What the file says it is; `undefined` for anything but a PNG, a JPEG or a still WebP file with
 * sides of at least one pixel. Only the headers are read: the pixels may still be damaged.
 */
export function inspectImage(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = readPng(view) ?? readJpeg(view) ?? readWebp(view);
  return facts === undefined || facts.width < 1 || facts.height < 1 ? undefined : facts;
}

/** PNG, third edition, 5.2 and 11.2.1: `IHDR` comes first. */
function readPng(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 33 || view.getBigUint64(0) !== 0x89504e470d0a1a0an) return undefined;
  if (view.getUint32(8) !== 13 || tag(view, 12) !== "IHDR") return undefined;
  // PNG, 5.2: sides have 31 bits, so that a product of two is still exact enough to compare.
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** Far more than any file has; without a limit, one of nothing but padding is read to its end. */
const MOST_STEPS = 10_000;

/** ITU-T T.81, B.1 and B.2.2: segments until the frame header (`SOF`) that has the size. */
function readJpeg(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2, steps = 0; at + 4 <= view.byteLength && steps < MOST_STEPS; steps++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++; // A marker may be padded with any number of FF.
      continue;
    }
    if (isFrameHeader(marker)) {
      if (at + 9 > view.byteLength) return undefined;
      return { type: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xd9 || marker === 0xda) return undefined;
    at += isBare ? 2 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** `SOF0` to `SOF15`, among which are three codes with other meanings. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** RFC 9649, 2.4 to 2.7: a RIFF file whose first chunk says which of three kinds it is. */
function readWebp(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 30 || tag(view, 0) !== "RIFF" || tag(view, 8) !== "WEBP") return undefined;
  const kind = tag(view, 12);
  const sides = kind === "VP8 "
    ? lossySides(view)
    : kind === "VP8L"
    ? losslessSides(view)
    : kind === "VP8X"
    ? extendedSides(view)
    : undefined;
  return sides && { type: "image/webp", ...sides };
}

type Sides = Pick<ImageFacts, "width" | "height">;

/** RFC 6386, 9.1: a key frame's start code, then two sides of 14 bits. */
function lossySides(view: DataView): Sides | undefined {
  if (view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return undefined;
  return {
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
  };
}

/** RFC 9649, 3.4: a signature byte, then two sides less one of 14 bits each. */
function losslessSides(view: DataView): Sides | undefined {
  if (view.getUint8(20) !== 0x2f) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** RFC 9649, 2.7: flags, among which the second bit says that it moves; then sides less one. */
function extendedSides(view: DataView): Sides | undefined {
  const isAnimated = (view.getUint8(20) & 0b10) !== 0;
  if (isAnimated) return undefined;
  return {
    width: (view.getUint32(24, true) & 0xffffff) + 1,
    height: (view.getUint32(26, true) >>> 8) + 1,
  };
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}
