/**
 * Texts of an answer that are too long for memory: each lies on the disk, and a short name stands
 * for it wherever the answer is looked at or changed, until it is sent.
 *
 * @module
 */

import type { TextParts } from "../domain/text_parts.ts";
import type { SpoolPart } from "./spool.ts";
import type { SpooledFile } from "./spooled_file.ts";

/** Of a text that is sent. */
const PIECE_BYTES = 64 * 1024;
const ASCII = new TextDecoder("latin1");

/** Those of one answer. */
export class LongTexts {
  readonly #create: () => Promise<SpoolPart>;
  /** What no upstream can guess: none can name a text that is not its own. */
  readonly #mark = `long-text:${crypto.randomUUID()}:`;
  readonly #texts: { readonly file: SpooledFile; readonly part: SpoolPart }[] = [];
  /** Whether nobody wants them any more: what still comes is read for its counts alone. */
  #isLeft = false;

  /** @param create Begins a file, which is removed at the latest when the answer is sent. */
  constructor(create: () => Promise<SpoolPart>) {
    this.#create = create;
  }

  /**
   * Begins a text.
   *
   * @throws {GatewayError} `storage_full`; so does its writing.
   */
  async begin(): Promise<LongText> {
    if (this.#isLeft) return UNWANTED;
    const part = await this.#create();
    return {
      write: async (ascii) => {
        try {
          if (!this.#isLeft) await part.write(ascii);
        } catch (error) {
          // Its file may be gone while it is written.
          if (!this.#isLeft) throw error;
        }
      },
      end: () => {
        if (this.#isLeft) return UNWANTED.end();
        const file = part.end({ filename: "", contentType: undefined });
        return `${this.#mark}${this.#texts.push({ file, part }) - 1};`;
      },
    };
  }

  /** The text with what its names stand for. */
  spell(text: string): string | TextParts {
    return text.includes(this.#mark) ? partsOf(this.#spelled(text)) : text;
  }

  /** The same of parts, none of which ends within a name; what was sent is removed. */
  spellParts(parts: TextParts): TextParts {
    const { next, cancel } = partsOf(this.#spelledParts(parts));
    return {
      next,
      cancel: async (reason) => {
        this.#isLeft = true;
        await parts.cancel(reason);
        await cancel(reason);
      },
    };
  }

  async *#spelledParts(parts: TextParts): AsyncGenerator<string> {
    for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
      if (part.includes(this.#mark)) yield* this.#spelled(part);
      else yield part;
    }
  }

  async *#spelled(text: string): AsyncGenerator<string> {
    const [first, ...rest] = text.split(this.#mark);
    yield first!;
    for (const piece of rest) {
      const end = piece.indexOf(";");
      yield* this.#read(Number(piece.slice(0, end)));
      yield piece.slice(end + 1);
    }
  }

  async *#read(index: number): AsyncGenerator<string> {
    const { file: { path }, part } = this.#texts[index]!;
    using file = await Deno.open(path);
    const piece = new Uint8Array(PIECE_BYTES);
    for (let count = await file.read(piece); count !== null; count = await file.read(piece)) {
      yield ASCII.decode(piece.subarray(0, count));
    }
    await part.remove();
  }
}

/** One text while it comes. */
export interface LongText {
  write(ascii: Uint8Array): Promise<void>;
  /** Gives the name that stands for it, which JSON has as it is. */
  end(): string;
}

const UNWANTED: LongText = { write: () => Promise.resolve(), end: () => "" };

function partsOf(generator: AsyncGenerator<string>): TextParts {
  return {
    async next() {
      const { done, value } = await generator.next();
      return done === true ? undefined : value;
    },
    async cancel() {
      await generator.return(undefined);
    },
  };
}
