/**
 * Says which pictures of a film can be shown without those before them. Where a film does not say
 * (ISO/IEC 14496-12, 8.6.2), all of them count as such, and a player that seeks begins at one that
 * it cannot show: it stands still until the next that it can.
 *
 * @module
 */

import { leafBoxes, type Mp4Box } from "./mp4_boxes.ts";

/** Of a network abstraction layer unit with a part of a key frame (ITU-T H.264, table 7-1). */
const KEY_FRAME_UNIT = 5;

/**
 * The box `stss` for a film: the numbers, from 1, of its key frames.
 *
 * @throws {RangeError} when the film's index lacks a table, or leads out of the file.
 */
export function keyFrameBox(film: Uint8Array, moov: Mp4Box): Uint8Array<ArrayBuffer> {
  const numbers: number[] = [];
  let number = 0;
  for (const { start, end } of readSamples(film, moov)) {
    number++;
    if (isKeyFrame(film, { start, end })) numbers.push(number);
  }
  const box = new DataView(new ArrayBuffer(16 + 4 * numbers.length));
  for (const [at, letter] of [..."stss"].entries()) box.setUint8(4 + at, letter.charCodeAt(0));
  box.setUint32(0, box.byteLength);
  box.setUint32(12, numbers.length);
  for (const [at, value] of numbers.entries()) box.setUint32(16 + 4 * at, value);
  return new Uint8Array(box.buffer);
}

type Range = { readonly start: number; readonly end: number };

/** Where each picture lies in the file: they follow one another within a chunk. */
function* readSamples(film: Uint8Array, moov: Mp4Box): Generator<Range> {
  const boxes = leafBoxes(film, moov);
  const [stsz, stsc, stco] = ["stsz", "stsc", "stco"].map((type) => {
    const box = boxes.find((one) => one.type === type);
    if (box === undefined) throw new RangeError(`Cannot read the film: it has no box '${type}'`);
    return readTable(film, box);
  }) as [number[], number[], number[]];

  // A size that all share, or 0 where each has its own; their count; their own sizes.
  const [shared = 0, count = 0, ...own] = stsz;
  const sizes = shared === 0 ? own : new Array<number>(count).fill(shared);
  const [, ...runs] = stsc;
  const [, ...chunks] = stco;
  let sample = 0;
  let perChunk = 0;
  for (const [index, offset] of chunks.entries()) {
    const run = runs.findIndex((value, at) => at % 3 === 0 && value === index + 1);
    if (run !== -1) perChunk = runs[run + 1]!;
    let start = offset;
    for (const size of sizes.slice(sample, sample + perChunk)) {
      yield { start, end: start + size };
      start += size;
    }
    sample += perChunk;
  }
}

/** The numbers of a table behind its version and flags. */
function readTable(film: Uint8Array, { content, end }: Mp4Box): number[] {
  const view = new DataView(film.buffer, film.byteOffset, film.byteLength);
  return Array.from(
    { length: (end - content - 4) / 4 },
    (_, at) => view.getUint32(content + 4 + 4 * at),
  );
}

/** Every unit has its length, in four bytes, before it. */
function isKeyFrame(film: Uint8Array, { start, end }: Range): boolean {
  const view = new DataView(film.buffer, film.byteOffset, film.byteLength);
  for (let at = start; at < end;) {
    if ((view.getUint8(at + 4) & 0x1f) === KEY_FRAME_UNIT) return true;
    at += 4 + view.getUint32(at);
  }
  return false;
}
