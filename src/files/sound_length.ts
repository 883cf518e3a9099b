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

import { OGG_TAIL_BYTES, oggSeconds } from "./ogg_length.ts";
import { webmSeconds } from "./webm_length.ts";

const HEAD_BYTES = 4_096;
const LEAST_RATE = 500;
const MOST_RATES = { mp3: 40_000, ogg: 96_000, film: 576_000, plain: 6_144_000 };
/** Boxes of an MP4 that are looked at: more than any has before its `moov`. */
const MOST_BOXES = 1_000;
/** PCM, floating-point numbers, and either in the extensible form. */
const PLAIN_SAMPLES: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
const MPEG_1_LAYER_3_KBITS = [
  0,
  32,
  40,
  48,
  56,
  64,
  80,
  96,
  112,
  128,
  160,
  192,
  224,
  256,
  320,
  0,
];
const MPEG_2_LAYER_3_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];
const MPEG_1_RATES = [44_100, 48_000, 32_000];

/** Seconds, or `undefined` where the container is another one, or says nothing of it. */
export async function soundLength(
  { path, bytes }: { readonly path: string; readonly bytes: number },
): Promise<number | undefined> {
  using file = await Deno.open(path);
  const head = await readAt(file, 0, Math.min(HEAD_BYTES, bytes));
  const told = wavLength(head, bytes) ?? flacLength(head) ??
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

async function readAt(file: Deno.FsFile, offset: number, length: number): Promise<DataView> {
  await file.seek(offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return new DataView(bytes.buffer, 0, filled);
}

function textAt(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return "";
  return String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
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

/** RFC 9639, section 8.2: 20 bits of the rate, 3 of the channels, 5 of a sample's size, 36 of the samples. */
function flacLength(head: DataView): ToldLength | undefined {
  if (textAt(head, 0) !== "fLaC" || head.byteLength < 26) return undefined;
  const word = head.getUint32(18);
  const rate = word >>> 12;
  const channels = ((word >>> 9) & 7) + 1;
  const bits = ((word >>> 4) & 0x1f) + 1;
  const samples = (head.getUint8(21) & 0xf) * 2 ** 32 + head.getUint32(22);
  if (rate === 0) return undefined;
  // What cannot be made smaller is stored as it is, with a frame's head besides.
  const mostRate = Math.min(rate * channels * Math.ceil(bits / 8) * 1.1, MOST_RATES.plain);
  return { seconds: samples / rate, mostRate };
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

/** By the first frame, or by the count of frames that many encoders put into it. */
async function mp3Seconds(
  file: Deno.FsFile,
  head: DataView,
  bytes: number,
): Promise<number | undefined> {
  let start = 0;
  if (textAt(head, 0).startsWith("ID3") && head.byteLength >= 10) {
    for (let at = 6; at < 10; at++) start = start * 128 + (head.getUint8(at) & 0x7f);
    start += 10;
  }
  const frame = start === 0 ? head : await readAt(file, start, HEAD_BYTES);
  if (frame.byteLength < 48 || frame.getUint8(0) !== 0xff) return undefined;
  const flags = frame.getUint8(1);
  // Layer III of any version.
  if ((flags & 0xe6) !== 0xe2) return undefined;
  const version = (flags >> 3) & 3;
  const kbits = (version === 3 ? MPEG_1_LAYER_3_KBITS : MPEG_2_LAYER_3_KBITS)[
    frame.getUint8(2) >> 4
  ]!;
  const rate = (MPEG_1_RATES[(frame.getUint8(2) >> 2) & 3] ?? 0) /
    (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (kbits === 0 || rate === 0) return undefined;
  const isMono = frame.getUint8(3) >> 6 === 3;
  const side = version === 3 ? (isMono ? 17 : 32) : (isMono ? 9 : 17);
  const tag = textAt(frame, 4 + side);
  if ((tag === "Xing" || tag === "Info") && (frame.getUint8(11 + side) & 1) === 1) {
    return frame.getUint32(12 + side) * (version === 3 ? 1_152 : 576) / rate;
  }
  return (bytes - start) * 8 / (kbits * 1_000);
}
