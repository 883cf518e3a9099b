/**
 * Texts that callers keep in a form that nobody can read, as the guard sees them: an item of the
 * Responses API whose `encrypted_content` is a summary or are thoughts that were wrapped here has the
 * text beside it, as `opened_content`. Where the guard has changed that text, it is wrapped anew.
 *
 * @module
 */

import { ForgedSummary, type SummarySeals } from "../../dialects/openai_responses/summary_seals.ts";
import { unwrapThoughts, wrapThoughts } from "../../dialects/base/wrapped_seal.ts";
import { isOwnSeal } from "../../dialects/turns/own_seal.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { parsedJson } from "./parsed_json.ts";

/** There and back. */
export interface OpaqueTexts {
  /** A body, or a stream's text, with every such text opened; the same one where there is none. */
  shown(body: unknown): unknown;
  /** What the guard has made of it, as it goes on. */
  taken(body: unknown): unknown;
}

interface Opened {
  readonly text: string;
  /** The same kind of text with other words. */
  wrap(text: string): string;
}

/** @param projectId Whose summaries they are. */
export function opaqueTexts(summaries: SummarySeals, projectId: string): OpaqueTexts {
  function opened({ type, encrypted_content: wrapped }: JsonObject): Opened | undefined {
    if (!isOwnSeal(wrapped)) return undefined;
    if (type === "reasoning") {
      const thoughts = unwrapThoughts(wrapped);
      // What a vendor has sealed was of the words before.
      return thoughts && { text: thoughts.text, wrap: (text) => wrapThoughts({ text }) };
    }
    const text = type === "compaction" ? summaryIn(wrapped) : undefined;
    return text === undefined
      ? undefined
      : { text, wrap: (other) => summaries.wrap(projectId, other) };
  }

  /** A forged one goes on as it is: it is refused as soon as the request is read. */
  function summaryIn(wrapped: string): string | undefined {
    try {
      return summaries.unwrap(projectId, wrapped);
    } catch (error) {
      if (error instanceof ForgedSummary) return undefined;
      throw error;
    }
  }

  const show = (item: JsonObject): JsonObject => {
    const text = opened(item);
    return text === undefined ? item : { ...item, opened_content: text.text };
  };
  const take = (item: JsonObject): JsonObject => {
    if (typeof item.opened_content !== "string") return item;
    const text = opened(item);
    if (text === undefined) return item;
    const { opened_content: changed, ...rest } = item;
    return changed === text.text ? rest : { ...rest, encrypted_content: text.wrap(changed) };
  };
  return {
    shown: (body) => eachText(body, show),
    taken: (body) => eachText(body, take),
  };
}

type ItemChange = (item: JsonObject) => JsonObject;

function eachText(body: unknown, change: ItemChange): unknown {
  if (typeof body === "string") {
    return body.includes("encrypted_content") ? eachEvent(body, change) : body;
  }
  return isObject(body) ? eachItem(body, change) : body;
}

/** Lines end as events' do: U+2028 is part of one, as JSON has it as it is. */
const DATA = /(?<=^|\n)data: ?(\{[^\r\n]*\})(?=\r?(?:\n|$))/g;

/** The events of a stream, those alone that hold such a text. */
function eachEvent(stream: string, change: ItemChange): string {
  return stream.replaceAll(DATA, (line, data: string) => {
    if (!data.includes("encrypted_content")) return line;
    const event = parsedJson(data);
    if (!isObject(event)) return line;
    const changed = eachItem(event, change);
    return changed === event ? line : `data: ${JSON.stringify(changed)}`;
  });
}

/** The items of a request, of an answer or of an event; the same body where none changes. */
function eachItem(body: JsonObject, change: ItemChange): JsonObject {
  const changed: JsonObject = {};
  for (const field of ["input", "output"]) {
    const items = body[field];
    if (!Array.isArray(items)) continue;
    const next = items.map((item) => isObject(item) ? change(item) : item);
    if (next.some((item, index) => item !== items[index])) changed[field] = next;
  }
  if (isObject(body.item)) {
    const next = change(body.item);
    if (next !== body.item) changed.item = next;
  }
  if (isObject(body.response)) {
    const next = eachItem(body.response, change);
    if (next !== body.response) changed.response = next;
  }
  return Object.keys(changed).length === 0 ? body : { ...body, ...changed };
}
