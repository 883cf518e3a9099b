/**
 * How long an Ogg file with Opus or Vorbis plays: its last page says how many samples there are.
 *
 * @module
 */

/** A page of the largest size (RFC 3533, section 6). */
export const OGG_TAIL_BYTES = 65_307;
/** Whatever the rate of the sound, Opus counts so many samples a second (RFC 7845, section 4). */
const OPUS_RATE = 48_000;

/** Seconds, by the first page and the file's end; `undefined` where it is another format. */
export function oggSeconds(head: Uint8Array, tail: Uint8Array): number | undefined {
  const codec = codecOf(head);
  const samples = lastGranule(tail);
  if (codec === undefined || codec.rate === 0 || samples === undefined) return undefined;
  return (samples - codec.skipped) / codec.rate;
}

function codecOf(head: Uint8Array) {
  if (!isAt(head, 0, "OggS") || head.length < 27) return undefined;
  const at = 27 + head[26]!;
  if (at + 16 > head.length) return undefined;
  const view = viewOf(head);
  if (isAt(head, at, "OpusHead")) {
    return { rate: OPUS_RATE, skipped: view.getUint16(at + 10, true) };
  }
  if (isAt(head, at, "\x01vorbis")) return { rate: view.getUint32(at + 12, true), skipped: 0 };
  return undefined;
}

/** Of the last page on which a packet ends: others have -1. */
function lastGranule(tail: Uint8Array): number | undefined {
  for (let at = tail.length - 27; at >= 0; at--) {
    if (!isAt(tail, at, "OggS")) continue;
    const granule = viewOf(tail).getBigInt64(at + 6, true);
    if (granule >= 0n) return Number(granule);
  }
  return undefined;
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
