/**
 * How long an MP3 file plays: by all of its frames, each of which says its own rate, and no shorter than
 * by the count of them that many encoders put into a frame of its own. What that frame says of rates is
 * nobody's: decoders play the frames behind it by their own (ISO/IEC 11172-3, ISO/IEC 13818-3).
 *
 * @module
 */

import { readAt, textAt } from "./file_window.ts";

/** Read at a time: about four seconds of 128 kbit/s. */
const WINDOW_BYTES = 64 * 1024;
/** Of a frame. */
const HEAD_BYTES = 4;
const MPEG_1_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
const MPEG_2_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];
const MPEG_1_RATES = [44_100, 48_000, 32_000];

/** A frame of layer III. */
interface Frame {
  readonly isMpeg1: boolean;
  readonly isMono: boolean;
  readonly bytes: number;
  readonly seconds: number;
}

/** Seconds; `undefined` of another format, and of frames that nothing is told by. */
export async function mp3Seconds(
  file: Deno.FsFile,
  head: DataView,
  bytes: number,
): Promise<number | undefined> {
  const start = startOf(head);
  const window = await readAt(file, start, Math.min(WINDOW_BYTES, Math.max(bytes - start, 0)));
  const first = frameAt(window, 0);
  if (first === undefined || window.byteLength < 48) return undefined;
  const count = countIn(window, first);
  if (count === undefined) return await playedSeconds(file, start, bytes);
  // Nothing plays behind it: what it counts is not there.
  if (start + first.bytes >= bytes) return count * first.seconds;
  const played = frameAt(window, first.bytes);
  if (played === undefined) return undefined;
  // Where they differ, what takes longer counts.
  return Math.max(
    count * Math.max(first.seconds, played.seconds),
    await playedSeconds(file, start + first.bytes, bytes),
  );
}

/** Of the frames from an offset on; what is none, such as a tag at the end, plays as they do on average. */
async function playedSeconds(file: Deno.FsFile, start: number, bytes: number): Promise<number> {
  let seconds = 0;
  let framed = 0;
  let isInStep = true;
  for (let from = start; from < bytes;) {
    const window = await readAt(file, from, Math.min(WINDOW_BYTES, bytes - from));
    const isLast = from + window.byteLength >= bytes || window.byteLength < WINDOW_BYTES;
    let at = 0;
    while (at + HEAD_BYTES <= window.byteLength) {
      const frame = frameAt(window, at);
      if (frame !== undefined && !isInStep) {
        // Two bytes that look like a head may be anything: where it ends another one begins.
        const next = at + frame.bytes;
        if (next + HEAD_BYTES > window.byteLength && !isLast && at > 0) break;
        isInStep = frameAt(window, next) !== undefined;
      } else if (frame === undefined) isInStep = false;
      if (frame === undefined || !isInStep) {
        at++;
        continue;
      }
      seconds += frame.seconds;
      framed += frame.bytes;
      at += frame.bytes;
    }
    // What is left has no room for a head.
    from += isLast ? Math.max(at, HEAD_BYTES) : at;
  }
  return framed === 0 ? 0 : seconds * Math.max(1, (bytes - start) / framed);
}

/** Behind the tag of ID3. */
function startOf(head: DataView): number {
  if (!textAt(head, 0).startsWith("ID3") || head.byteLength < 10) return 0;
  let start = 0;
  for (let at = 6; at < 10; at++) start = start * 128 + (head.getUint8(at) & 0x7f);
  return start + 10;
}

function frameAt(view: DataView, at: number): Frame | undefined {
  if (at + 4 > view.byteLength || view.getUint8(at) !== 0xff) return undefined;
  const flags = view.getUint8(at + 1);
  // Layer III of any version.
  if ((flags & 0xe6) !== 0xe2) return undefined;
  const version = (flags >> 3) & 3;
  const isMpeg1 = version === 3;
  const word = view.getUint8(at + 2);
  const kbits = (isMpeg1 ? MPEG_1_KBITS : MPEG_2_KBITS)[word >> 4]!;
  const rate = (MPEG_1_RATES[(word >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  if (kbits === 0 || rate === 0) return undefined;
  const samples = isMpeg1 ? 1_152 : 576;
  return {
    isMpeg1,
    isMono: view.getUint8(at + 3) >> 6 === 3,
    bytes: Math.floor(samples / 8 * kbits * 1_000 / rate) + ((word >> 1) & 1),
    seconds: samples / rate,
  };
}

/** The count of frames of Xing's and LAME's encoders. */
function countIn(view: DataView, { isMpeg1, isMono }: Frame): number | undefined {
  const at = 4 + (isMpeg1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17));
  const tag = textAt(view, at);
  if (tag !== "Xing" && tag !== "Info") return undefined;
  return (view.getUint8(at + 7) & 1) === 1 ? view.getUint32(at + 8) : undefined;
}
