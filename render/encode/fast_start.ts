/**
 * Puts a film's index (`moov`) before its pictures (`mdat`), so that a player can show the start
 * while the rest still loads.
 *
 * @module
 */

import { leafBoxes, readBoxes } from "./mp4_boxes.ts";

/**
 * The same film as `ftyp`, `moov`, `mdat`; padding is dropped and the index's offsets follow.
 *
 * @throws {RangeError} when `film` is not a file of one `ftyp`, one `moov` and one `mdat`.
 */
export function fastStart(film: Uint8Array): Uint8Array<ArrayBuffer> {
  const boxes = readBoxes(film);
  const [ftyp, moov, mdat] = ["ftyp", "moov", "mdat"].map((type) => {
    const found = boxes.filter((box) => box.type === type);
    if (found.length === 1) return found[0]!;
    throw new RangeError(`Cannot reorder the film: it has ${found.length} boxes '${type}'`);
  }) as [typeof boxes[0], typeof boxes[0], typeof boxes[0]];

  const moovStart = ftyp.end - ftyp.start;
  const mdatStart = moovStart + moov.end - moov.start;
  const ordered = new Uint8Array(mdatStart + mdat.end - mdat.start);
  ordered.set(film.subarray(ftyp.start, ftyp.end));
  ordered.set(film.subarray(moov.start, moov.end), moovStart);
  ordered.set(film.subarray(mdat.start, mdat.end), mdatStart);
  shiftOffsets(ordered, { moovStart, by: mdatStart - mdat.start });
  return ordered;
}

/** `stco` and `co64` say where each run of pictures lies in the file. */
function shiftOffsets(
  film: Uint8Array<ArrayBuffer>,
  { moovStart, by }: { readonly moovStart: number; readonly by: number },
): void {
  const view = new DataView(film.buffer);
  const moov = readBoxes(film).find((box) => box.start === moovStart)!;
  for (const { type, content } of leafBoxes(film, moov)) {
    if (type !== "stco" && type !== "co64") continue;
    const count = view.getUint32(content + 4);
    for (let entry = 0; entry < count; entry++) {
      if (type === "stco") {
        const at = content + 8 + entry * 4;
        view.setUint32(at, view.getUint32(at) + by);
      } else {
        const at = content + 8 + entry * 8;
        view.setBigUint64(at, view.getBigUint64(at) + BigInt(by));
      }
    }
  }
}
