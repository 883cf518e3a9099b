/**
 * A run of bytes of an open file, as the body of an answer: read into the sender's own buffer, so
 * that a download of any length takes the memory of one piece and no stream.
 *
 * @module
 */

/** Which bytes of a file are meant. */
export interface FileSpan {
  /** Offset of the first byte. */
  readonly start: number;
  /** How many bytes; all of them must be there. */
  readonly length: number;
}

/** Owns the file from its construction on and closes it at the end, whatever the end is. */
export class FilePart {
  /** In bytes. */
  readonly length: number;
  readonly #file: Deno.FsFile;
  #left: number;
  #closed = false;

  /** Moves the file to `start`. Nobody else may read from it afterwards. */
  constructor(file: Deno.FsFile, { start, length }: FileSpan) {
    this.length = length;
    this.#file = file;
    this.#left = length;
    if (start > 0) file.seekSync(start, Deno.SeekMode.Start); // touches no disk
  }

  /**
   * Reads the next bytes into `buffer`, as many as there is room for at most; says how many, 0
   * after the last one. Asked for one at a time.
   *
   * @throws {TypeError} when the file ends before the part does
   * @throws what the file fails with, `Deno.errors.BadResource` after {@linkcode FilePart.cancel}
   */
  async read(buffer: Uint8Array): Promise<number> {
    if (this.#left === 0) return 0;
    const room = buffer.length > this.#left ? buffer.subarray(0, this.#left) : buffer;
    const count = await this.#file.read(room);
    if (count === null) {
      const read = this.length - this.#left;
      throw new TypeError(
        `Cannot finish a response as its file ended early: ${read} of ${this.length} bytes`,
      );
    }
    this.#left -= count;
    return count;
  }

  /** Closes the file; nobody wants the rest. Safe to call at any time, also during a read. */
  cancel(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#file.close();
    }
    return Promise.resolve();
  }
}
