/**
 * How long a file of sound plays, by what its container says; nothing is decoded. Whoever sent it wrote
 * that, so it is believed only as far as the file's size allows: so many bytes play no shorter than at
 * the most that the format takes for a second, and no longer than at the least.
 *
 * The figures, in bytes a second:
 * - MP3: 40,000, which are the 320 kbit/s of layer III's highest row (ISO/IEC 11172-3).
 * - Ogg: 96,000. Opus has at most 510 kbit/s (RFC 6716, section 2.1.1), Vorbis at its best about 500.
 * - MP4, WebM and other Matroska: 576,000, two channels of 24 bits at 96 kHz: they hold lossless sound,
 *   and films of 4.6 Mbit/s, of which the sound is a part.
 * - WAV and FLAC have their own, by rate, channels and bits: what decodes them goes by these as well.
 *   At most 6,144,000, eight channels of 32 bits at 192 kHz.
 * - The least is 500 of any: 4 kbit/s, below all that speech is coded with (Opus begins at 6).
 *
 * @module
 */

import { readAt, textAt } from "./file_window.ts";
import { flacLength } from "./flac_length.ts";
import { mp3Seconds } from "./mp3_length.ts";
import { OGG_TAIL_BYTES, oggSeconds } from "./ogg_length.ts";
import { webmSeconds } from "./webm_length.ts";

const HEAD_BYTES = 4_096;
const LEAST_RATE = 500;
const MOST_RATES = { mp3: 40_000, ogg: 96_000, film: 576_000, plain: 6_144_000 };
/** Boxes of an MP4 that are looked at: more than any has before its `moov`. */
const MOST_BOXES = 1_000;
/** PCM, floating-point numbers, and either in the extensible form. */
const PLAIN_SAMPLES: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
/** Seconds, or `undefined` where the container is another one, or says nothing of it. */
export async function soundLength(
  { path, bytes }: { readonly path: string; readonly bytes: number },
): Promise<number | undefined> {
  using file = await Deno.open(path);
  const head = await readAt(file, 0, Math.min(HEAD_BYTES, bytes));
  const told = wavLength(head, bytes) ?? await flacTold(file, head) ??
    at(MOST_RATES.film, webmSeconds(head)) ??
    at(MOST_RATES.ogg, await oggLength(file, head, bytes)) ??
    at(MOST_RATES.film, await mp4Seconds(file, bytes)) ??
    at(MOST_RATES.mp3, await mp3Seconds(file, head, bytes));
  if (told === undefined || !Number.isFinite(told.seconds) || told.seconds <= 0) return undefined;
  return Math.min(Math.max(told.seconds, bytes / told.mostRate), bytes / LEAST_RATE);
}

/** What a container says, and the bytes that a second of it takes at most. */
interface ToldLength {
  readonly seconds: number;
  readonly mostRate: number;
}

function at(mostRate: number, seconds: number | undefined): ToldLength | undefined {
  return seconds === undefined ? undefined : { seconds, mostRate };
}

/**
 * RIFF: the format's chunk has the rate and the bytes of a sample of all channels. The bytes of a
 * second stand there too, but nobody plays by these unless the samples are coded.
 */
function wavLength(head: DataView, bytes: number): ToldLength | undefined {
  if (textAt(head, 0) !== "RIFF" || textAt(head, 8) !== "WAVE") return undefined;
  for (let chunk = 12; chunk + 22 <= head.byteLength;) {
    if (textAt(head, chunk) === "fmt ") {
      const isPlain = PLAIN_SAMPLES.has(head.getUint16(chunk + 8, true));
      const told = isPlain
        ? head.getUint32(chunk + 12, true) * head.getUint16(chunk + 20, true)
        : head.getUint32(chunk + 16, true);
      const mostRate = isPlain ? MOST_RATES.plain : MOST_RATES.film;
      return told === 0 ? undefined : { seconds: bytes / told, mostRate };
    }
    chunk += 8 + head.getUint32(chunk + 4, true);
  }
  return undefined;
}

async function oggLength(
  file: Deno.FsFile,
  head: DataView,
  bytes: number,
): Promise<number | undefined> {
  if (textAt(head, 0) !== "OggS") return undefined;
  const length = Math.min(OGG_TAIL_BYTES, bytes);
  return oggSeconds(bytesOf(head), bytesOf(await readAt(file, bytes - length, length)));
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function flacTold(file: Deno.FsFile, head: DataView): Promise<ToldLength | undefined> {
  const told = await flacLength(file, head);
  if (told === undefined) return undefined;
  // What cannot be made smaller is stored as it is, with a frame's head besides.
  return { seconds: told.seconds, mostRate: Math.min(told.plainRate * 1.1, MOST_RATES.plain) };
}

/** ISO/IEC 14496-12: `moov` may stand behind all of the sound, `mvhd` is in it. */
async function mp4Seconds(file: Deno.FsFile, bytes: number): Promise<number | undefined> {
  let end = bytes;
  for (let at = 0, box = 0; at + 8 <= end && box < MOST_BOXES; box++) {
    const head = await readAt(file, at, 40);
    if (head.byteLength < 16) return undefined;
    const type = textAt(head, 4);
    if (box === 0 && type !== "ftyp") return undefined;
    const short = head.getUint32(0);
    const size = short === 1 ? Number(head.getBigUint64(8)) : short === 0 ? end - at : short;
    if (size < 8) return undefined;
    if (type === "moov") {
      end = Math.min(end, at + size);
      at += 8;
      continue;
    }
    if (type === "mvhd") return movieSeconds(head);
    at += size;
  }
  return undefined;
}

function movieSeconds(box: DataView): number | undefined {
  if (box.byteLength < 40) return undefined;
  const isLong = box.getUint8(8) === 1;
  const scale = box.getUint32(isLong ? 28 : 20);
  const length = isLong ? Number(box.getBigUint64(32)) : box.getUint32(24);
  return scale === 0 ? undefined : length / scale;
}
