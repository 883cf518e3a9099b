/**
 * Corrects what the encoder's library writes into a film's index: it says nothing of the colours'
 * meaning, so that players guess by size, nothing of key frames, so that they cannot seek, and it
 * writes the time of day, so that no two films are alike.
 *
 * @module
 */

import { keyFrameBox } from "./key_frames.ts";
import { leafBoxes, type Mp4Box, readBoxes } from "./mp4_boxes.ts";

/**
 * `colr` of kind `nclx` (ISO/IEC 14496-12, 12.1.5): primaries, transfer and matrix of BT.709 in the
 * limited range, as {@linkcode Frame} has them.
 *
 * @see {@link https://www.itu.int/rec/T-REC-H.273} for the numbers
 */
const COLOURS = [0, 0, 0, 19, ...ascii("colr"), ...ascii("nclx"), 0, 1, 0, 1, 0, 1, 0];

/** Boxes that begin with version, flags, creation time and modification time. */
const TIMED = ["mvhd", "tkhd", "mdhd"];

/**
 * The same film with its colours and key frames named and its times unset.
 *
 * @throws {RangeError} when its index is not its last box but padding, or has not one kind of
 * sample: pictures behind it would no longer lie where it says.
 */
export function labelFilm(film: Uint8Array): Uint8Array<ArrayBuffer> {
  const boxes = readBoxes(film).filter((box) => box.type !== "free");
  const moov = boxes.at(-1);
  if (moov?.type !== "moov") throw new RangeError("Cannot label the film: its index is not last");
  const stsd = leafBoxes(film, moov).find((box) => box.type === "stsd");
  if (
    stsd === undefined ||
    new DataView(film.buffer, film.byteOffset).getUint32(stsd.content + 4) !== 1
  ) {
    throw new RangeError("Cannot label the film: it has not one kind of sample");
  }
  // The colours are the last part of `stsd`, the key frames a box of their own behind it.
  const added = [...COLOURS, ...keyFrameBox(film, moov)];
  const labelled = new Uint8Array(moov.end + added.length);
  labelled.set(film.subarray(0, stsd.end));
  labelled.set(added, stsd.end);
  labelled.set(film.subarray(stsd.end, moov.end), stsd.end + added.length);
  const view = new DataView(labelled.buffer);
  const grow = (at: number, by: number) => view.setUint32(at, view.getUint32(at) + by);
  for (const at of boxesAround(film, { stsd, outer: moov })) grow(at, added.length);
  // The sample entry is the first box in `stsd`, behind its version and its count.
  for (const at of [stsd.start, stsd.content + 8]) grow(at, COLOURS.length);
  for (const box of leafBoxes(labelled, { ...moov, end: labelled.length })) {
    if (TIMED.includes(box.type)) unsetTimes(labelled, box);
  }
  return labelled;
}

/** Where every box that `stsd` lies in starts, from `outer` inwards. */
function boxesAround(
  film: Uint8Array,
  { stsd, outer }: { readonly stsd: Mp4Box; readonly outer: Mp4Box },
): number[] {
  if (outer.start === stsd.start) return [];
  const inner = readBoxes(film, outer.content, outer.end)
    .find((box) => box.start <= stsd.start && stsd.end <= box.end)!;
  return [outer.start, ...boxesAround(film, { stsd, outer: inner })];
}

function unsetTimes(film: Uint8Array, { content }: Mp4Box): void {
  const isLong = film[content] === 1;
  film.fill(0, content + 4, content + (isLong ? 20 : 12));
}

function ascii(letters: string): number[] {
  return [...letters].map((letter) => letter.charCodeAt(0));
}
