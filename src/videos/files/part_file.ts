/**
 * A film while it is being written.
 *
 * @module
 */

import { createHash, type Hash } from "node:crypto";

/** `<id>.part`: bytes are appended and hashed as they come. */
export class PartFile {
  readonly path: string;
  readonly #file: Deno.FsFile;
  #hash: Hash = createHash("sha256");
  #bytes = 0;
  #isOpen = true;

  private constructor(path: string, file: Deno.FsFile) {
    this.path = path;
    this.#file = file;
  }

  /**
   * Makes the file, 0600. It is never an earlier one emptied: somebody may still be writing that.
   *
   * @throws {Deno.errors.AlreadyExists}
   */
  static async create(path: string): Promise<PartFile> {
    const file = await Deno.open(path, { createNew: true, write: true, mode: 0o600 });
    return new PartFile(path, file);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let written = 0; written < chunk.length;) {
      written += await this.#file.write(chunk.subarray(written));
    }
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Throws away what is there, to write from the beginning. */
  async startOver(): Promise<void> {
    await this.#file.truncate(0);
    await this.#file.seek(0, Deno.SeekMode.Start);
    this.#hash = createHash("sha256");
    this.#bytes = 0;
  }

  /** Syncs everything to disk and closes the file; gives the SHA-256 in lower-case hex. */
  async finish(): Promise<string> {
    await this.#file.sync();
    this.close();
    return this.#hash.digest("hex");
  }

  /** Safe to call more than once. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#file.close();
  }
}
