/**
 * Reads `multipart/form-data` from a body as it comes, through one buffer: a form of any size
 * takes the same memory.
 *
 * @module
 */

import { type BoundaryLine, endOfHead, findBoundary, MOST_HEAD_BYTES } from "./boundary_line.ts";
import { MalformedFormError, type PartHead, readPartHead } from "./part_head.ts";

/** Where bytes come from: puts at least one into the target and says how many, 0 at the end. */
export interface ByteSource {
  read(target: Uint8Array): Promise<number>;
}

/** The memory of one reader. */
export const READER_BYTES = 128 * 1024;

/** Of what may become a boundary's line: its boundary and blanks behind. */
const MOST_LINE_BYTES = 1_024;

/** Gives a form part by part, and each part piece by piece. */
export class MultipartReader {
  readonly #source: ByteSource;
  readonly #boundary: Uint8Array;
  readonly #buffer = new Uint8Array(READER_BYTES);
  #start = 0;
  #end = 2;
  /** Of the part's content: the line break of its head, which may be that of a boundary. */
  #skipped = 0;
  #state: "before" | "content" | "between" | "over" = "before";

  /** @param boundary As the content type names it, without quotes. */
  constructor(source: ByteSource, boundary: string) {
    this.#source = source;
    this.#boundary = new TextEncoder().encode(boundary);
    // The first boundary needs no line break before it.
    this.#buffer.set([0x0d, 0x0a]);
  }

  /**
   * The head of the next part, `undefined` behind the last one. What was not read of the part
   * before is passed over; what follows the last is read and dropped.
   *
   * @throws {MalformedFormError}
   * @throws What the source throws.
   */
  async next(): Promise<PartHead | undefined> {
    while (this.#state === "before" || this.#state === "content") await this.read();
    if (this.#state === "over") return undefined;
    const head = await this.#readHead();
    this.#state = "content";
    this.#skipped = 2;
    return head;
  }

  /**
   * The next bytes of the part, valid until the next call; `undefined` at its end.
   *
   * @throws {MalformedFormError}
   * @throws What the source throws.
   */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#state !== "content" && this.#state !== "before") return undefined;
    for (;;) {
      const line = findBoundary(this.#buffer, this.#boundary, {
        from: this.#start,
        end: this.#end,
      });
      const until = line?.start ?? this.#end;
      if (until > this.#start + this.#skipped) {
        const piece = this.#buffer.subarray(this.#start + this.#skipped, until);
        this.#start = until;
        this.#skipped = 0;
        return piece;
      }
      if (line?.end !== undefined) {
        await this.#pass(line as Required<BoundaryLine>);
        return undefined;
      }
      if (this.#end - this.#start > MOST_LINE_BYTES + this.#skipped) {
        throw new MalformedFormError("a boundary of it has no end of line");
      }
      await this.#fill();
    }
  }

  async #pass({ end, isLast }: Required<BoundaryLine>): Promise<void> {
    this.#start = end;
    this.#skipped = 0;
    this.#state = isLast ? "over" : "between";
    if (!isLast) return;
    // To its end, so that the connection may be used again.
    while (await this.#source.read(this.#buffer) > 0);
  }

  async #readHead(): Promise<PartHead> {
    for (;;) {
      const most = Math.min(this.#start + MOST_HEAD_BYTES, this.#end);
      const end = endOfHead(this.#buffer, { from: this.#start, end: most });
      if (end !== -1) {
        const head = new TextDecoder().decode(this.#buffer.subarray(this.#start, end));
        this.#start = end + 2;
        return readPartHead(head);
      }
      if (this.#end - this.#start >= MOST_HEAD_BYTES) {
        throw new MalformedFormError("a part of it has no head, or one without end");
      }
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    const count = await this.#source.read(this.#buffer.subarray(this.#end));
    if (count === 0) throw new MalformedFormError("it breaks off before its last boundary");
    this.#end += count;
  }
}
