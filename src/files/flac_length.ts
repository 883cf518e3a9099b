/**
 * How long a FLAC file plays: its head counts the samples, and its first frame says at which rate they
 * are played. Decoders go by the frame, so a head that claims more is not believed (RFC 9639).
 *
 * @module
 */

import { readAt, textAt } from "./file_window.ts";

/** Of the head: more blocks than any file has before its sound. */
const MOST_BLOCKS = 1_000;
/** A frame's head at its longest: 4 bytes, 7 of its number, 2 of its size, 2 of its rate. */
const FRAME_HEAD_BYTES = 15;
/** Section 9.1.2, codes 1 to 11. */
const RATES = [
  88_200,
  176_400,
  192_000,
  8_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
  96_000,
];
/** Section 9.1.4, by code; 0 is the head's, 3 is nobody's. */
const BITS = [undefined, 8, 12, undefined, 16, 20, 24, 32];

/** The form of the samples; absent of what a frame leaves to the head. */
interface Samples {
  readonly rate: number | undefined;
  readonly channels: number;
  readonly bits: number | undefined;
}

/** Seconds, and the bytes that one of them takes if nothing could be made smaller. */
export interface FlacLength {
  readonly seconds: number;
  readonly plainRate: number;
}

/** `undefined` of another format, and where no frame follows the head: nobody knows what it plays then. */
export async function flacLength(
  file: Deno.FsFile,
  head: DataView,
): Promise<FlacLength | undefined> {
  if (textAt(head, 0) !== "fLaC" || head.byteLength < 26) return undefined;
  // Section 8.2: 20 bits of the rate, 3 of the channels, 5 of a sample's size, 36 of the samples.
  const word = head.getUint32(18);
  const told = {
    rate: word >>> 12,
    channels: ((word >>> 9) & 7) + 1,
    bits: ((word >>> 4) & 31) + 1,
  };
  const samples = (head.getUint8(21) & 0xf) * 2 ** 32 + head.getUint32(22);
  const frame = await firstFrame(file);
  if (frame === undefined) return undefined;
  // Where the two differ, what takes longer counts.
  const rate = Math.min(told.rate || Infinity, frame.rate ?? Infinity);
  if (!Number.isFinite(rate)) return undefined;
  const channels = Math.min(told.channels, frame.channels);
  const bits = Math.min(told.bits, frame.bits ?? told.bits);
  return { seconds: samples / rate, plainRate: rate * channels * Math.ceil(bits / 8) };
}

async function firstFrame(file: Deno.FsFile): Promise<Samples | undefined> {
  for (let at = 4, block = 0; block < MOST_BLOCKS; block++) {
    const head = await readAt(file, at, 4);
    if (head.byteLength < 4) return undefined;
    const word = head.getUint32(0);
    at += 4 + (word & 0xff_ffff);
    if (word >>> 31 === 1) return samplesOf(await readAt(file, at, FRAME_HEAD_BYTES));
  }
  return undefined;
}

/** Section 9.1. */
function samplesOf(frame: DataView): Samples | undefined {
  if (frame.byteLength < FRAME_HEAD_BYTES) return undefined;
  if ((frame.getUint16(0) & 0xfffe) !== 0xfff8) return undefined;
  const sizeCode = frame.getUint8(2) >> 4;
  const rateCode = frame.getUint8(2) & 0xf;
  const channelsCode = frame.getUint8(3) >> 4;
  // Its number is coded as UTF-8 codes characters.
  const ones = Math.clz32(~(frame.getUint8(4) << 24));
  const at = 4 + Math.max(ones, 1) + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0);
  const rate = rateOf(frame, rateCode, at);
  if (rate === 0) return undefined;
  return {
    rate,
    channels: channelsCode < 8 ? channelsCode + 1 : 2,
    bits: BITS[(frame.getUint8(3) >> 1) & 7],
  };
}

/** 0 where it is none; `undefined` where the head has it. */
function rateOf(frame: DataView, code: number, at: number): number | undefined {
  if (code === 0) return undefined;
  if (code <= RATES.length) return RATES[code - 1];
  if (at + 2 > frame.byteLength) return 0;
  if (code === 12) return frame.getUint8(at) * 1_000;
  if (code === 13) return frame.getUint16(at);
  return code === 14 ? frame.getUint16(at) * 10 : 0;
}
