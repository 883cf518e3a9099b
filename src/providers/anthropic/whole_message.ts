/**
 * A message in one piece made of the events of a stream, and the events of a message in one piece: some
 * upstreams answer in the one form where the other was asked for.
 *
 * @module
 */

import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { parseUpstreamJson } from "../upstream/upstream_json.ts";

/** Why a message ends in the middle of what its model wrote. */
const CUT: ReadonlySet<unknown> = new Set(["max_tokens", "model_context_window_exceeded"]);

interface OpenBlock {
  readonly block: JsonObject;
  /** A call's arguments, as far as they are written. */
  input: string;
}

/** Adds up events whose blocks are numbered from 0. */
export class WholeMessage {
  #message: JsonObject = {};
  readonly #blocks: OpenBlock[] = [];

  /** Takes an event; what it holds may be kept. */
  add({ type, index, message, content_block: block, delta, ...fields }: JsonObject): void {
    switch (type) {
      case "message_start":
        this.#message = { ...asObject(message) };
        return;
      case "content_block_start":
        this.#blocks.push({ block: { ...asObject(block) }, input: "" });
        return;
      case "content_block_delta":
        return addDelta(this.#blocks[index as number], asObject(delta) ?? {});
      case "message_delta":
        this.#message = { ...this.#message, ...fields, ...asObject(delta) };
    }
  }

  /**
   * The message so far. Arguments that its end has cut are none, as nobody is to run a part of them.
   *
   * @throws {UpstreamError} `broken` where a call's arguments are no JSON in a message that is not cut.
   */
  get body(): JsonObject {
    const isCut = CUT.has(this.#message.stop_reason);
    return { ...this.#message, content: this.#blocks.map((block) => wholeBlock(block, isCut)) };
  }
}

function addDelta(open: OpenBlock | undefined, { type: _type, ...told }: JsonObject): void {
  if (open === undefined) return;
  const { block } = open;
  for (const field in told) {
    const value = told[field];
    if (field === "partial_json") open.input += String(value);
    else if (field === "citation") asCitations(block).push(value);
    else if (typeof value !== "string") block[field] = value;
    else block[field] = `${block[field] ?? ""}${value}`;
  }
}

function asCitations(block: JsonObject): unknown[] {
  if (!Array.isArray(block.citations)) block.citations = [];
  return block.citations as unknown[];
}

function wholeBlock({ block, input }: OpenBlock, isCut: boolean): JsonObject {
  if (input === "") return block;
  try {
    return { ...block, input: parseUpstreamJson(input) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (isCut) return { ...block, input: {} };
    // The parser's own message quotes the model's words: not for a log.
    throw new UpstreamError("broken", "The upstream sent a call whose arguments are no JSON");
  }
}

/** The events that write a message; `undefined` where it is none. */
export function eventsOfMessage(whole: Readonly<JsonObject>): readonly JsonObject[] | undefined {
  const { content, stop_reason, stop_sequence, usage, ...message } = whole;
  if (!Array.isArray(content) || !content.every(isObject)) return undefined;
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage };
  return [
    { type: "message_start", message: start },
    ...content.flatMap(eventsOfBlock),
    {
      type: "message_delta",
      delta: { stop_reason: stop_reason ?? "end_turn", stop_sequence: stop_sequence ?? null },
      ...(usage !== undefined && { usage }),
    },
    { type: "message_stop" },
  ];
}

function eventsOfBlock(block: JsonObject, index: number): readonly JsonObject[] {
  const { start, deltas } = piecesOf(block);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block as it begins, and what is then written: clients take no text, thought or call from the start. */
function piecesOf(block: JsonObject): {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
} {
  const { text, thinking, signature, input, citations } = block;
  if (block.type === "text") {
    return {
      start: { ...block, text: "", ...(citations !== undefined && { citations: [] }) },
      deltas: [
        { type: "text_delta", text: String(text ?? "") },
        ...asArray(citations).map((citation) => ({ type: "citations_delta", citation })),
      ],
    };
  }
  if (block.type === "thinking") {
    return {
      start: { ...block, thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: String(thinking ?? "") },
        ...(typeof signature === "string" ? [{ type: "signature_delta", signature }] : []),
      ],
    };
  }
  if (!isObject(input)) return { start: block, deltas: [] };
  return {
    start: { ...block, input: {} },
    deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
  };
}
