/**
 * A file of this disk as what an object is made of, and an object as a file.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { ObjectSource, ReadObject } from "./object_store.ts";

/** A file whose bytes and hash are known. */
export function fileSource(
  path: string,
  { bytes, sha256 }: Pick<ObjectSource, "bytes" | "sha256">,
): ObjectSource {
  return {
    bytes,
    sha256,
    async read(offset, length) {
      using file = await Deno.open(path);
      await file.seek(offset, Deno.SeekMode.Start);
      const piece = new Uint8Array(length);
      for (let filled = 0; filled < length;) {
        const count = await file.read(piece.subarray(filled));
        if (count === null) throw new Error(`${path} became shorter while it was sent`);
        filled += count;
      }
      return piece;
    },
  };
}

/** A file that is read once to know them. @throws {Deno.errors.NotFound} When it is not there. */
export async function measuredSource(path: string): Promise<ObjectSource> {
  const hash = createHash("sha256");
  const file = await Deno.open(path);
  let bytes = 0;
  for await (const piece of file.readable) {
    hash.update(piece);
    bytes += piece.length;
  }
  return fileSource(path, { bytes, sha256: hash.digest("hex") });
}

/** What came of an object is not what was put there. */
export class BrokenObject extends Error {
  override readonly name = "BrokenObject";
}

/**
 * Writes an object to a new file, readable for its owner alone and synced.
 *
 * @throws {BrokenObject} When what came is not what was put there.
 */
export async function saveObject(
  { body, bytes, sha256 }: ReadObject,
  { path, address }: { readonly path: string; readonly address: string },
): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const hash = createHash("sha256");
  let length = 0;
  for await (const piece of body) {
    hash.update(piece);
    length += piece.length;
    for (let sent = 0; sent < piece.length;) sent += await file.write(piece.subarray(sent));
  }
  await file.sync();
  const isWhole = Number.isNaN(bytes) || length === bytes;
  if (isWhole && (sha256 === undefined || hash.digest("hex") === sha256)) return;
  throw new BrokenObject(
    `Cannot use ${address}: what came of it is not what was put there. Try again, or take another backup`,
  );
}
