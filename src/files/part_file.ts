/**
 * A file while it is being written: a film, or what a caller uploads.
 *
 * @module
 */

import { createHash, type Hash } from "node:crypto";

/** Bytes are appended and hashed as they come. */
export class PartFile {
  readonly path: string;
  #file: Deno.FsFile;
  #hash: Hash = createHash("sha256");
  #bytes = 0;
  #isOpen = true;
  #isPaused = false;

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

  /** Closes the file until {@linkcode PartFile.resume}: nobody writes it meanwhile. */
  pause(): void {
    this.close();
    this.#isPaused = true;
  }

  /** Whether it waits to be gone on with. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /**
   * Opens the file again behind what was written, without what a failed write left of a chunk.
   *
   * @throws {Deno.errors.NotFound}
   */
  async resume(): Promise<void> {
    const file = await Deno.open(this.path, { write: true });
    this.#file = file;
    this.#isOpen = true;
    this.#isPaused = false;
    await file.truncate(this.#bytes);
    await file.seek(this.#bytes, Deno.SeekMode.Start);
  }

  /** Syncs everything to disk and closes the file; gives the SHA-256 in lower-case hex. */
  async finish(): Promise<string> {
    await this.#file.sync();
    return this.end();
  }

  /** Closes a file that need not outlive the process; gives the SHA-256 in lower-case hex. */
  end(): string {
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
