/**
 * How long an MP3 file plays: by the count of frames that many encoders put into a frame of its own, or
 * by its first frames. What the frame with the count says of rates is nobody's: decoders play the frames
 * behind it by their own (ISO/IEC 11172-3, ISO/IEC 13818-3).
 *
 * @module
 */

import { readAt, textAt } from "./file_window.ts";

/** Frames that are looked at: about four seconds of 128 kbit/s. */
const WINDOW_BYTES = 64 * 1024;
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
  if (count === undefined) return (bytes - start) / bytesPerSecond(window);
  // Nothing plays behind it: what it counts is not there.
  if (start + first.bytes >= bytes) return count * first.seconds;
  const played = frameAt(window, first.bytes);
  // Where the two differ, what takes longer counts.
  return played && count * Math.max(first.seconds, played.seconds);
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

/** Of the frames that follow each other from the start of a window on. */
function bytesPerSecond(window: DataView): number {
  let bytes = 0;
  let seconds = 0;
  for (let frame = frameAt(window, 0); frame !== undefined; frame = frameAt(window, bytes)) {
    bytes += frame.bytes;
    seconds += frame.seconds;
  }
  return bytes / seconds;
}
