/**
 * Decodes a body's content coding, which some upstreams apply though nobody
 * asked for it. Pulled by its reader and fed a little at a time, so a bomb unfolds
 * hardly further than it is read, and nobody waits for it to unfold.
 *
 * @module
 */

import { LoopShare } from "./contract.ts";

type ReadRaw = (limitMs: number) => Promise<Uint8Array | undefined>;

const FORMATS: ReadonlyMap<string, CompressionFormat> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/**
 * Fed to the decompressor at one time, which decodes all of it without a pause. Deflate unfolds at
 * most 1,032 times: this to 1 MiB.
 */
const PIECE_BYTES = 1024;

/** A decoded view of a body. */
export class ContentDecoder {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #limitMs = 0;
  #failure: unknown;
  /** Of the last read, what the decompressor has not been given. */
  #unfed: Uint8Array<ArrayBuffer> = new Uint8Array();
  readonly #share = new LoopShare();

  private constructor(format: CompressionFormat, readRaw: ReadRaw) {
    const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          if (this.#unfed.length === 0) {
            const bytes = await readRaw(this.#limitMs);
            if (bytes === undefined) return controller.close();
            // Copied, because the decompressor looks at them after the next read may have begun.
            this.#unfed = bytes.slice();
          }
          controller.enqueue(this.#unfed.subarray(0, PIECE_BYTES));
          this.#unfed = this.#unfed.subarray(PIECE_BYTES);
        } catch (error) {
          this.#failure = error;
          controller.error(error);
        }
      },
    }, { highWaterMark: 0 });
    this.#reader = raw.pipeThrough(new DecompressionStream(format)).getReader();
  }

  /** `undefined` when the coding is not one that we know. */
  static create(coding: string, readRaw: ReadRaw): ContentDecoder | undefined {
    const format = FORMATS.get(coding);
    return format === undefined ? undefined : new ContentDecoder(format, readRaw);
  }

  async read(limitMs: number): Promise<Uint8Array | undefined> {
    this.#limitMs = limitMs;
    try {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      await this.#share.take(value.length);
      return value;
    } catch (error) {
      // Through the pipe the upstream's own failure may arrive as another one.
      throw this.#failure ?? error;
    }
  }

  close(): void {
    this.#reader.cancel().catch(ignoreCancelled);
  }
}

/** Cancelling a body that failed already rejects with that failure, which was reported before. */
function ignoreCancelled(): void {}
