/**
 * Attaches files to an executable: see `scripts/attached_files.ts`.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { AttachedIndex } from "./scripts/attached_files.ts";
import { elfImageLength } from "./scripts/elf_image.ts";

/** Files by name. */
export type FilesByName = ReadonlyMap<string, Uint8Array>;

/** What `deno compile` writes behind the runtime's image begins so, and ends with its own length. */
const EMBEDDED = "d3n0l4nd";

/** Where the files will lie: made before the executable is, which has the index in it. */
export function indexAttached(files: FilesByName): AttachedIndex {
  const hash = createHash("sha256");
  const places: Record<string, readonly [number, number]> = {};
  let offset = 0;
  for (const [name, bytes] of files) {
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
    places[name] = [offset, bytes.length];
    offset += bytes.length;
  }
  return { mark: `tollgate attached ${hash.digest("hex")}\n`, files: places };
}

/**
 * Puts the files between the runtime's image and what is embedded.
 *
 * @returns whether that can be done: not where the executable is of another form.
 */
export async function attachFiles(
  executable: string,
  { files, index }: { readonly files: FilesByName; readonly index: AttachedIndex },
): Promise<boolean> {
  const bytes = await Deno.readFile(executable);
  const image = imageBeforeEmbedded(bytes);
  if (image === undefined) return false;
  const mark = new TextEncoder().encode(index.mark);
  const parts = [bytes.subarray(0, image), mark, ...files.values(), bytes.subarray(image)];
  await Deno.writeFile(executable, ReadableStream.from(parts));
  return true;
}

/** Length of the image that what is embedded follows at once; `undefined` where it is elsewhere. */
function imageBeforeEmbedded(bytes: Uint8Array): number | undefined {
  let image: number;
  try {
    image = elfImageLength(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = new TextDecoder().decode(bytes.subarray(image, image + EMBEDDED.length));
  const length = Number(view.getBigUint64(bytes.length - 8, true));
  return begin === EMBEDDED && image + length === bytes.length ? image : undefined;
}
