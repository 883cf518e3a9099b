/**
 * The boxes an MP4 file is made of (ISO/IEC 14496-12, 4.2): a length, a type of four letters, then
 * content that is often boxes again.
 *
 * @module
 */

/** Where a box lies in the bytes it was read from. */
export interface Mp4Box {
  /** Four letters. */
  readonly type: string;
  /** Offset of its length field. */
  readonly start: number;
  /** Offset of its content. */
  readonly content: number;
  /** Offset behind its last byte. */
  readonly end: number;
}

/** Boxes that hold nothing but boxes, on the way to a track's tables. */
const CONTAINERS = ["moov", "trak", "mdia", "minf", "stbl"];

/**
 * The boxes that follow one another in `bytes` from `start` to `end`.
 *
 * @throws {RangeError} when a length leads out of that range.
 */
export function readBoxes(bytes: Uint8Array, start = 0, end: number = bytes.length): Mp4Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Mp4Box[] = [];
  for (let at = start; at < end;) {
    if (end - at < 8) throw brokenBox(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const isLong = view.getUint32(at) === 1;
    if (isLong && end - at < 16) throw brokenBox(at);
    const size = isLong ? Number(view.getBigUint64(at + 8)) : view.getUint32(at);
    const content = at + (isLong ? 16 : 8);
    if (at + size < content || at + size > end) throw brokenBox(at);
    boxes.push({ type, start: at, content, end: at + size });
    at += size;
  }
  return boxes;
}

/** Every box within `box` that is not itself a container, depth first. */
export function leafBoxes(bytes: Uint8Array, box: Mp4Box): Mp4Box[] {
  if (!CONTAINERS.includes(box.type)) return [box];
  return readBoxes(bytes, box.content, box.end).flatMap((inner) => leafBoxes(bytes, inner));
}

function brokenBox(at: number): RangeError {
  return new RangeError(`Cannot read the MP4 file: the box at byte ${at} has a wrong length`);
}
