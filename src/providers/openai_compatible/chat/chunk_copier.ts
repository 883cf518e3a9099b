/**
 * Tells which chunks of a stream are copies of the last one but for what the model wrote, so that
 * they are neither parsed nor repaired: most of any answer.
 *
 * A pattern is learnt from a chunk that went the whole way, by sending the same chunk that way again
 * with marks in it. It holds until the next chunk goes that way: whatever may change how chunks are
 * repaired (finish reasons, calls, counts, names) is read there.
 *
 * @module
 */

import {
  type ChunkPattern,
  CopiedChunk,
  cutAtMarks,
  MARKS,
} from "../../../dialects/base/chunk_copy.ts";
import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import { parseUpstreamJson } from "../../upstream/upstream_json.ts";

/** Where models write. */
const TEXTS = ["content", "reasoning_content", "reasoning"] as const;
/** What OpenAI pads its chunks with, that their lengths tell nothing of their words. */
const PADDING = "obfuscation";

/** Longer chunks are few: they are not worth a pattern. */
const MOST_CHARACTERS = 4_096;
/** Patterns that a stream may learn in any case; besides, one for every few chunks that were copied. */
const FREE_LESSONS = 4;
const COPIES_PER_LESSON = 8;

// deno-lint-ignore no-control-regex
const IS_SPECIAL = /["\\\u0000-\u001f]/;
/** What JSON writes as it was read: of escapes, those that every writer writes in one way. */
// deno-lint-ignore no-control-regex
const IS_KEPT = /^(?:[^"\\\u0000-\u001f]|\\["\\bfnrt])*$/;
/** A slice of at least so many characters keeps all of the text alive that it is part of. */
const SLICE_CHARACTERS = 13;

const BLANK = /\s*/y;

/** How the text of such chunks begins, goes on between its places, and ends. */
interface Lesson {
  readonly begin: string;
  /** Absent where there is no padding. */
  readonly middle: string | undefined;
  readonly end: string;
  readonly pattern: ChunkPattern;
}

/** Knows the chunks of one stream. */
export class ChunkCopier {
  #lesson: Lesson | undefined;
  #hasRead = false;
  #lessons = 0;
  #copies = 0;

  /** The event of a chunk by its text; `undefined` where it has to go the whole way. */
  copy(data: string): CopiedChunk | undefined {
    const lesson = this.#lesson;
    if (lesson === undefined) return undefined;
    const { begin, middle, end, pattern } = lesson;
    const last = data.length - end.length;
    // A third of what `startsWith` and `endsWith` take: they go character by character.
    if (data.slice(0, begin.length) !== begin || data.slice(last) !== end) return undefined;
    const textEnd = middle === undefined ? last : data.indexOf(middle, begin.length);
    // An empty text may be no text: what is said beside it would be looked at.
    if (textEnd <= begin.length) return undefined;
    const raw = data.slice(begin.length, textEnd);
    let padding: string | undefined;
    if (middle !== undefined) {
      const paddingStart = textEnd + middle.length;
      if (paddingStart > last) return undefined;
      padding = data.slice(paddingStart, last);
      if (IS_SPECIAL.test(padding)) return undefined;
    }
    const isEscaped = IS_SPECIAL.test(raw);
    if (isEscaped && !IS_KEPT.test(raw)) return undefined;
    const text = isEscaped || raw.length >= SLICE_CHARACTERS
      ? parseUpstreamJson(data.slice(begin.length - 1, textEnd + 1)) as string
      : raw;
    this.#copies++;
    return new CopiedChunk(pattern, { text, raw, padding });
  }

  /**
   * Notes a chunk that went the whole way.
   *
   * @param event What came of it; `undefined` where that was not one event.
   * @param read Sends another the same way; gives what came of it, in the same manner.
   */
  learn(
    data: string,
    event: AnswerEvent | undefined,
    read: (chunk: JsonObject) => AnswerEvent | undefined,
  ): void {
    this.#lesson = undefined;
    // The first one of a stream is most often like no other.
    const isFirst = !this.#hasRead;
    this.#hasRead = true;
    if (isFirst || event === undefined || data.length > MOST_CHARACTERS) return;
    if (!isPlain(event) || event.text === "") return;
    if (this.#lessons >= FREE_LESSONS + this.#copies / COPIES_PER_LESSON) return;
    this.#lessons++;
    this.#lesson = lessonOf(data, event.text, read);
  }
}

/** Whether a chunk says nothing but what the model wrote, in one choice. */
function isPlain({ chunk, usage, usageBody, finished, empty, seal }: AnswerEvent): boolean {
  if (usage !== undefined || usageBody !== undefined || finished || empty) return false;
  const { choices } = chunk;
  if (seal !== undefined || !Array.isArray(choices) || choices.length !== 1) return false;
  const [choice] = choices;
  return isObject(choice) && isObject(choice.delta) && choice.delta.tool_calls === undefined;
}

function lessonOf(
  data: string,
  text: string,
  read: (chunk: JsonObject) => AnswerEvent | undefined,
): Lesson | undefined {
  const raw = JSON.stringify(text).slice(1, -1);
  const field = TEXTS.find((name) => placeOf(data, name, raw) >= 0);
  if (field === undefined) return undefined;
  const begin = placeOf(data, field, raw);
  const end = begin + raw.length;
  const padding = placeOf(data, PADDING, "", end);
  const paddingEnd = padding < 0 ? -1 : data.indexOf('"', padding);
  const marked = padding < 0
    ? `${data.slice(0, begin)}${MARKS[0]}${data.slice(end)}`
    : `${data.slice(0, begin)}${MARKS[0]}${data.slice(end, padding)}${MARKS[1]}${
      data.slice(paddingEnd)
    }`;
  const places = padding < 0 ? 1 : 2;
  const pieces = cutAtMarks(marked, places);
  const chunk = pieces === undefined ? undefined : objectOf(marked);
  const event = chunk && read(chunk);
  // Nothing but the mark: all else that a chunk may say beside it is empty.
  if (event === undefined || !isPlain(event) || event.text !== "\u0000") return undefined;
  const written = cutAtMarks(JSON.stringify(event.chunk), places);
  if (written === undefined) return undefined;
  const { terms, thoughts = 0 } = event;
  return {
    begin: pieces![0]!,
    middle: places === 1 ? undefined : pieces![1],
    end: pieces!.at(-1)!,
    pattern: { pieces: written, terms, isThoughts: thoughts > 0 },
  };
}

/** Where the value of a field begins, behind its quote, if it is the first of its name and begins so; or -1. */
function placeOf(data: string, field: string, value: string, from = 0): number {
  const name = `"${field}"`;
  const at = data.indexOf(name, from);
  if (at < 0) return -1;
  const colon = afterBlank(data, at + name.length);
  const quote = afterBlank(data, colon + 1);
  if (data[colon] !== ":" || data[quote] !== '"') return -1;
  const isWhole = value === "" || data[quote + 1 + value.length] === '"';
  return isWhole && data.startsWith(value, quote + 1) ? quote + 1 : -1;
}

function afterBlank(data: string, from: number): number {
  BLANK.lastIndex = from;
  BLANK.test(data);
  return BLANK.lastIndex;
}

function objectOf(json: string): JsonObject | undefined {
  try {
    const value = parseUpstreamJson(json);
    return isObject(value) ? value : undefined;
  } catch {
    // A place that was none: the chunk goes on to go the whole way.
    return undefined;
  }
}
