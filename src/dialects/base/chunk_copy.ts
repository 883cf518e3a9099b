/**
 * Chunks of a stream that differ from one before by nothing but what the model wrote: told by that
 * alone, so that nobody has to parse them, or to write them as JSON again.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";
import type { AnswerEvent } from "./answer.ts";

/** What stands for the places where chunks differ while a pattern is made, as JSON has it. */
export const MARKS = ["\\u0000", "\\u0001"] as const;

/** What is alike in chunks that are copies of each other. */
export interface ChunkPattern {
  /** The repaired chunk as JSON, cut in its places: before the text, behind it, and behind padding. */
  readonly pieces: readonly string[];
  /** As the events of such chunks have it. */
  readonly terms: Terms | undefined;
  /** Whether their text is thoughts, in a field of its own. */
  readonly isThoughts: boolean;
}

/**
 * A JSON text that has a mark in each of its places, cut there.
 *
 * @returns `undefined` where the marks are not there once each, in their order.
 */
export function cutAtMarks(json: string, places: number): readonly string[] | undefined {
  const [first, second] = MARKS.map((mark) => json.indexOf(mark)) as [number, number];
  const isOnce = first >= 0 && json.indexOf(MARKS[0], first + 1) < 0;
  if (!isOnce || (places === 1) !== (second < 0)) return undefined;
  const begin = json.slice(0, first);
  const rest = first + MARKS[0].length;
  if (places === 1) return [begin, json.slice(rest)];
  if (second < rest || json.indexOf(MARKS[1], second + 1) >= 0) return undefined;
  return [begin, json.slice(rest, second), json.slice(second + MARKS[1].length)];
}

/** A chunk of a pattern, with a mark in each place. */
export function markedChunk({ pieces }: ChunkPattern): JsonObject {
  const marked = pieces.map((piece, place) => place === 0 ? piece : `${MARKS[place - 1]}${piece}`);
  return JSON.parse(marked.join(""));
}

/** The event of a chunk that is a copy but for its text, and for padding where that pattern has some. */
export class CopiedChunk implements AnswerEvent {
  readonly pattern: ChunkPattern;
  readonly text: string;
  /** The text as JSON has it between the quotes, which writes it as it came. */
  readonly raw: string;
  /** The same of padding, which some upstreams send to hide lengths; `undefined` for none. */
  readonly padding: string | undefined;
  #chunk: JsonObject | undefined;

  constructor(
    pattern: ChunkPattern,
    { text, raw, padding }: Pick<CopiedChunk, "text" | "raw" | "padding">,
  ) {
    this.pattern = pattern;
    this.text = text;
    this.raw = raw;
    this.padding = padding;
  }

  /** Made for who asks: it costs what the copying has saved. */
  get chunk(): JsonObject {
    return this.#chunk ??= this.#makeChunk();
  }

  get thoughts(): number {
    return this.pattern.isThoughts ? this.text.length : 0;
  }

  get terms(): Terms | undefined {
    return this.pattern.terms;
  }

  get usage(): undefined {
    return undefined;
  }

  get usageBody(): undefined {
    return undefined;
  }

  get finished(): boolean {
    return false;
  }

  get empty(): boolean {
    return false;
  }

  #makeChunk(): JsonObject {
    return JSON.parse(joined(this.pattern.pieces, this));
  }
}

/** A chunk as it is written: what is alike around its text, and around its padding. */
export function joined(
  pieces: readonly string[],
  { raw, padding }: Pick<CopiedChunk, "raw" | "padding">,
): string {
  const begun = `${pieces[0]}${raw}${pieces[1]}`;
  return padding === undefined ? begun : `${begun}${padding}${pieces[2]}`;
}
