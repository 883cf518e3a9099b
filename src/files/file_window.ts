/**
 * Short pieces of a file, wherever they stand.
 *
 * @module
 */

/** The bytes from an offset on: fewer at the file's end. */
export async function readAt(
  file: Deno.FsFile,
  offset: number,
  length: number,
): Promise<DataView> {
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

/** Four bytes as text; "" at the end. */
export function textAt(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return "";
  return String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
}
