/**
 * A chat completion made of the chunks of a stream, and a stream's chunk of a chat completion: some
 * upstreams answer in the one form where the other was asked for.
 *
 * @module
 */

import { checkBlocks } from "../../../dialects/base/most_blocks.ts";
import { isObject, type JsonObject } from "../../../domain/json_value.ts";

/** What is told once, and again by some: accumulators would have it twice. */
const TOLD_ONCE: ReadonlySet<string> = new Set(["id", "index", "name", "type", "role", "format"]);
/** Lists whose pieces belong together by their numbers. */
const NUMBERED: ReadonlySet<string> = new Set(["tool_calls", "reasoning_details"]);

type Fields = Map<string, unknown>;

/** Pieces in their order, which are found by their numbers however many there are. */
class Pieces {
  readonly all: unknown[] = [];
  readonly #byNumber = new Map<number, Fields>();

  /** The piece of a number, which is begun where there is none. */
  numbered(number: number): Fields {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    checkBlocks(this.all.length);
    const begun: Fields = new Map();
    this.#byNumber.set(number, begun);
    this.all.push(begun);
    return begun;
  }
}

/** Adds up chunks whose quirks are repaired. */
export class WholeChat {
  readonly #fields: Fields = new Map();
  /** By choice index. */
  readonly #choices: Fields[] = [];

  /** Takes a chunk; what it holds may be kept. */
  add({ choices, object: _object, ...fields }: JsonObject): void {
    replace(this.#fields, fields);
    for (const choice of choices as readonly unknown[]) {
      if (isObject(choice)) this.#addChoice(choice);
    }
  }

  /** The completion so far, without its usage. */
  get body(): JsonObject {
    // Numbers that no chunk has used are not there.
    const choices = Object.values(this.#choices).map(objectOf);
    for (const { message } of choices) completeMessage(message as JsonObject);
    return { ...objectOf(this.#fields), choices };
  }

  #addChoice({ delta, logprobs, ...fields }: JsonObject): void {
    const index = fields.index as number;
    const choice = this.#choices[index] ??= new Map<string, unknown>([["message", new Map()]]);
    replace(choice, fields);
    addUp(choice.get("message") as Fields, delta as JsonObject);
    if (isObject(logprobs)) addUp(fieldsIn(choice, "logprobs"), logprobs);
  }
}

/**
 * The chunk that says all that an answer in one piece says; `undefined` where that is none.
 *
 * @param whole Is changed.
 */
export function chunkOfWhole({ choices, ...fields }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isObject)) return undefined;
  return {
    ...fields,
    choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: deltaOf(message) })),
  };
}

function deltaOf(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return message;
  // Told apart by their place: some servers number all of them 0.
  const calls = message.tool_calls.filter(isObject).map((call, index) => ({ ...call, index }));
  return { ...message, tool_calls: calls };
}

/** The last value wins; `null` says nothing. */
function replace(fields: Fields, more: JsonObject): void {
  for (const field in more) {
    if (more[field] !== null && more[field] !== undefined) fields.set(field, more[field]);
  }
}

/** Adds up as clients do: texts and lists go on, what is told once stays. */
function addUp(fields: Fields, more: JsonObject): void {
  for (const field in more) {
    const value = more[field];
    if (value === null || value === undefined) continue;
    const before = fields.get(field);
    if (Array.isArray(value)) addList(fields, field, value);
    else if (isObject(value)) addUp(fieldsIn(fields, field), value);
    else if (typeof value !== "string" || typeof before !== "string") fields.set(field, value);
    else if (!TOLD_ONCE.has(field)) fields.set(field, before + value);
  }
}

function addList(fields: Fields, field: string, more: readonly unknown[]): void {
  let pieces = fields.get(field);
  if (!(pieces instanceof Pieces)) fields.set(field, pieces = new Pieces());
  const { all } = pieces as Pieces;
  for (const one of more) {
    const index = NUMBERED.has(field) && isObject(one) ? one.index : undefined;
    if (typeof index !== "number") all.push(one);
    else addUp((pieces as Pieces).numbered(index), one as JsonObject);
  }
}

function fieldsIn(fields: Fields, field: string): Fields {
  const known = fields.get(field);
  if (known instanceof Map) return known;
  const begun: Fields = new Map();
  fields.set(field, begun);
  return begun;
}

function objectOf(fields: Fields): JsonObject {
  return Object.fromEntries([...fields].map(([field, value]) => [field, valueOf(value)]));
}

function valueOf(value: unknown): unknown {
  if (value instanceof Map) return objectOf(value);
  return value instanceof Pieces ? value.all.map(valueOf) : value;
}

function completeMessage(message: JsonObject): void {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return;
  for (const call of calls) if (isObject(call)) delete call.index;
  // The usual first delta writes no text.
  if (message.content === "") message.content = null;
}
