/**
 * Decodes a body's content coding, which some upstreams apply though nobody
 * asked for it. Pulled by its reader, so a bomb unfolds no further than it is read.
 *
 * @module
 */

type ReadRaw = (limitMs: number) => Promise<Uint8Array | undefined>;

const FORMATS: ReadonlyMap<string, CompressionFormat> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/** A decoded view of a body. */
export class ContentDecoder {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #limitMs = 0;
  #failure: unknown;

  private constructor(format: CompressionFormat, readRaw: ReadRaw) {
    const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          const bytes = await readRaw(this.#limitMs);
          // Copied, because the decompressor looks at them after the next read may have begun.
          if (bytes === undefined) controller.close();
          else controller.enqueue(bytes.slice());
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
      return done ? undefined : value;
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
