/**
 * Takes the executable out of an archive, piece by piece: memory holds no more than a piece.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { CommandFailure } from "../base/failure.ts";

/** Several times what an archive or an executable has. */
const MOST_BYTES = 1_073_741_824;
const BLOCK = 512;

/**
 * Writes what is read to `path`.
 *
 * @throws {CommandFailure} When its SHA-256 is another, or it is longer than a release can be.
 */
export async function saveChecked(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { path, sha256 }: { readonly path: string; readonly sha256: string },
): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  const hash = createHash("sha256");
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > MOST_BYTES) throw new CommandFailure("The archive is longer than any release");
    hash.update(piece);
    await writeAll(file, piece);
  }
  if (hash.digest("hex") !== sha256) {
    throw new CommandFailure("The archive is not what SHA256SUMS says it is. Nothing was changed");
  }
}

/**
 * Writes the file `tollgate` of a `.tar.gz` to `path`, synced and executable.
 *
 * @throws {CommandFailure} When there is none in it.
 */
export async function unpackExecutable(archive: string, path: string): Promise<void> {
  using packed = await Deno.open(archive);
  const reader = new BlockReader(packed.readable.pipeThrough(new DecompressionStream("gzip")));
  try {
    for (let head = await reader.take(BLOCK); head !== undefined; head = await reader.take(BLOCK)) {
      const { name, size, isFile } = readHead(head);
      if (name === "") break;
      if (size > MOST_BYTES) throw new CommandFailure("The archive cannot be read");
      const isWanted = isFile && /^[^/]+\/tollgate$/.test(name);
      if (isWanted) {
        using file = await Deno.open(path, { write: true, create: true, truncate: true });
        await reader.copy(size, (piece) => writeAll(file, piece));
        await file.sync();
        await Deno.chmod(path, 0o755);
        return;
      }
      await reader.copy(Math.ceil(size / BLOCK) * BLOCK, () => Promise.resolve());
    }
  } catch (error) {
    // What gunzip has to say of bytes that are no archive.
    if (error instanceof TypeError) throw new CommandFailure(`Cannot unpack it: ${error.message}`);
    throw error;
  }
  throw new CommandFailure("There is no executable in the archive");
}

/** A header of the archive, as POSIX's ustar has it. */
function readHead(head: Uint8Array) {
  const text = (from: number, length: number) => {
    const bytes = head.subarray(from, from + length);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  };
  const size = parseInt(text(124, 12).trim() || "0", 8);
  return { name: text(0, 100), size, isFile: [0, 0x30].includes(head[156]!) };
}

/** Reads exact lengths off a stream of pieces. */
class BlockReader {
  readonly #pieces: AsyncIterator<Uint8Array<ArrayBuffer>>;
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** `undefined` at the end. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const piece = await this.#next(length - filled);
      if (piece === undefined) return undefined;
      taken.set(piece, filled);
      filled += piece.length;
    }
    return taken;
  }

  async copy(
    length: number,
    write: (piece: Uint8Array<ArrayBuffer>) => Promise<void>,
  ): Promise<void> {
    for (let left = length; left > 0;) {
      const piece = await this.#next(left);
      if (piece === undefined) throw new CommandFailure("The archive ends too soon");
      left -= piece.length;
      await write(piece);
    }
  }

  async #next(most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(most);
    return piece;
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await file.write(bytes.subarray(sent));
}
