/**
 * Files that lie in the executable where nobody reads them unasked. A start of a compiled program
 * reads all that is embedded in it, and copies it once; these lie before that, behind the runtime's
 * own image, and are read one by one.
 *
 * @module
 */

import { ELF_HEADER_BYTES, elfImageLength } from "./elf_image.ts";

/** Which files there are, and where. */
export interface AttachedIndex {
  /** Tells what is attached from what is attached to another executable. */
  readonly mark: string;
  /** Where each file begins behind the mark, and its length, bytes. */
  readonly files: Readonly<Record<string, readonly [offset: number, length: number]>>;
}

/** The files that are attached to the executable at `path`. */
export class AttachedFiles {
  readonly #path: string;
  readonly #index: AttachedIndex;
  #opened: { readonly file: Deno.FsFile; readonly start: number } | undefined;

  constructor(path: string, index: AttachedIndex) {
    this.#path = path;
    this.#index = index;
  }

  /** Whether there is such a file. */
  has(name: string): boolean {
    return name in this.#index.files;
  }

  /**
   * The bytes of a file that there is. The executable stays open: what is asked for later comes from
   * the same one, whatever stands at its path by then.
   *
   * @throws {Error} when another executable stands at the path since this one was started.
   */
  read(name: string): Uint8Array<ArrayBuffer> {
    const [offset, length] = this.#index.files[name]!;
    const { file, start } = this.#opened ??= this.#open();
    return readAt(file, start + offset, length);
  }

  #open() {
    const file = this.#found();
    const begin = elfImageLength(readAt(file, 0, ELF_HEADER_BYTES));
    const mark = new TextEncoder().encode(this.#index.mark);
    const found = new TextDecoder().decode(readAt(file, begin, mark.length));
    if (found !== this.#index.mark) {
      file.close();
      throw this.#replaced();
    }
    return { file, start: begin + mark.length };
  }

  #found(): Deno.FsFile {
    try {
      return Deno.openSync(this.#path);
    } catch (error) {
      // The system says so in the path itself, of which there is no file then.
      if (error instanceof Deno.errors.NotFound) throw this.#replaced();
      throw error;
    }
  }

  #replaced(): Error {
    return new Error(`${this.#path} has been replaced since it was started: start it again`);
  }
}

/** Fewer bytes where the file ends before. */
function readAt(file: Deno.FsFile, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.seekSync(offset, Deno.SeekMode.Start);
  let read = 0;
  while (read < length) {
    const more = file.readSync(bytes.subarray(read));
    if (more === null) break;
    read += more;
  }
  return bytes;
}
