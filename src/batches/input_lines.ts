/**
 * Reads the file of a batch line by line, in the memory of one line.
 *
 * @module
 */

/** A line of a file, and which: counted from 1, empty ones too. */
export interface InputLine {
  readonly line: number;
  /** Without its end, valid until the next. `undefined` of one that is too long. */
  readonly bytes: Uint8Array | undefined;
}

const PIECE_BYTES = 64 * 1024;
const LF = 0x0a;

/** The lines of a file that have anything in them. Whoever has had enough stops it. */
export async function* inputLines(path: string, mostBytes: number): AsyncGenerator<InputLine> {
  using file = await Deno.open(path);
  const piece = new Uint8Array(PIECE_BYTES);
  let pending: Uint8Array[] = [];
  let bytes = 0;
  let line = 1;
  const take = (last: Uint8Array): InputLine => {
    const isTooLong = bytes + last.length > mostBytes;
    const whole = isTooLong ? undefined : joined(pending, last, bytes + last.length);
    pending = [];
    bytes = 0;
    return { line: line++, bytes: whole };
  };
  for (let count = await file.read(piece); count !== null; count = await file.read(piece)) {
    let from = 0;
    for (let end = piece.indexOf(LF); end !== -1 && end < count; end = piece.indexOf(LF, from)) {
      const found = take(piece.subarray(from, end));
      from = end + 1;
      if (!isEmpty(found)) yield found;
    }
    const rest = piece.subarray(from, count);
    // Of a line that is too long nothing is held.
    if (bytes + rest.length <= mostBytes && rest.length > 0) pending.push(rest.slice());
    else if (rest.length > 0) pending = [];
    bytes += rest.length;
  }
  const last = take(new Uint8Array());
  if (!isEmpty(last)) yield last;
}

/** Whether there is nothing but white space in it. */
function isEmpty({ bytes }: InputLine): boolean {
  return bytes !== undefined && bytes.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13));
}

function joined(pending: readonly Uint8Array[], last: Uint8Array, length: number): Uint8Array {
  if (pending.length === 0) return last;
  const all = new Uint8Array(length);
  let at = 0;
  for (const one of [...pending, last]) {
    all.set(one, at);
    at += one.length;
  }
  return all;
}
