/**
 * Reads the events of a message: all are passed on, what no client can take is put right, and what was
 * written and used is told.
 *
 * @module
 */

import { sealOf } from "../../dialects/anthropic_messages/own_seal.ts";
import { mergeUsage, readUsage, termsOf } from "../../dialects/anthropic_messages/usage.ts";
import type { AnswerEvent } from "../../dialects/base/answer.ts";
import { checkBlocks } from "../../dialects/base/most_blocks.ts";
import { asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { EventReader } from "../upstream/event_feed.ts";

/** Signs of life after the reason why a message ends: more than one, and its end is forgotten. */
const MOST_PINGS_AT_END = 1;
/** How long the end is waited for once the reason is told. */
const REST_MS = 10_000;

/** What the model wrote in an event. */
interface Written {
  readonly text: string;
  readonly isThought?: boolean;
}

const NOTHING: Written = { text: "" };

export class MessageReader implements EventReader {
  readonly endMark = undefined;
  readonly #contextTokens: number | undefined;
  isOver = false;
  #hasBegun = false;
  #usage: JsonObject = {};
  #terms: Terms | undefined;
  /** Our numbers of blocks by the upstream's: clients lose blocks whose numbers do not count up from 0. */
  readonly #numbers = new Map<unknown, number>();
  #open: number | undefined;
  #hasReason = false;
  #pings = 0;

  constructor(contextTokens: number | undefined) {
    this.#contextTokens = contextTokens;
  }

  get restMs(): number | undefined {
    return this.#hasReason ? REST_MS : undefined;
  }

  read(value: JsonObject, name: string, events: AnswerEvent[]): void {
    const type = nonEmptyString(value.type) ?? name;
    if (value.type !== type) value.type = type;
    switch (type) {
      case "message_start":
        return this.#begin(value, events);
      case "content_block_start": {
        const number = this.#numbers.size;
        this.#numbers.set(value.index, number);
        checkBlocks(this.#numbers.size);
        value.index = this.#open = number;
        const block = asObject(value.content_block) ?? {};
        // Thoughts may take minutes of which nothing is shown.
        const isAtWork = block.type !== "text" && block.name === undefined;
        const text = nonEmptyString(block.name) ?? "";
        this.#add(events, value, { text }, isAtWork);
        return;
      }
      case "content_block_delta":
        value.index = this.#numbers.get(value.index) ?? value.index;
        return this.#add(events, value, writtenIn(asObject(value.delta) ?? {}));
      case "content_block_stop":
        value.index = this.#numbers.get(value.index) ?? value.index;
        this.#open = undefined;
        return this.#add(events, value);
      case "message_delta":
        if (nonEmptyString(asObject(value.delta)?.stop_reason) !== undefined) {
          this.#hasReason = true;
        }
        return this.#addUsage(events, value, asObject(value.usage));
      case "message_stop":
        this.#end(events);
        return;
      case "ping":
        if (this.#hasReason && ++this.#pings > MOST_PINGS_AT_END) this.#end(events);
        else this.#add(events, value);
        return;
      default:
        return this.#add(events, value);
    }
  }

  end(_by: "mark" | "body", events: AnswerEvent[]): void {
    if (!this.#hasBegun) {
      throw new UpstreamError("broken", "The upstream sent an empty stream");
    }
    if (!this.#hasReason) {
      throw new UpstreamError("broken", "The upstream cut its stream before a stop reason");
    }
    this.#end(events);
  }

  cutShort(events: AnswerEvent[]): void {
    if (this.#open !== undefined) {
      this.#add(events, { type: "content_block_stop", index: this.#open });
    }
    this.#add(events, {
      type: "message_delta",
      delta: { stop_reason: "max_tokens", stop_sequence: null },
    });
    this.#end(events);
  }

  /** A second start breaks clients, and is said by relays that try again. */
  #begin(value: JsonObject, events: AnswerEvent[]): void {
    const message = asObject(value.message);
    if (message === undefined) {
      throw new UpstreamError("broken", "The upstream began a message that is none");
    }
    const usage = asObject(message.usage);
    if (this.#hasBegun) {
      this.#usage = mergeUsage(this.#usage, usage ?? {});
      return;
    }
    this.#hasBegun = true;
    if (usage === undefined) message.usage = { input_tokens: 0, output_tokens: 0 };
    this.#addUsage(events, value, usage);
  }

  #addUsage(events: AnswerEvent[], chunk: JsonObject, more: JsonObject | undefined): void {
    if (more === undefined) return this.#add(events, chunk);
    this.#usage = mergeUsage(this.#usage, more);
    this.#terms = termsOf(this.#usage) ?? this.#terms;
    events.push({
      chunk,
      text: "",
      usage: readUsage(this.#usage, this.#contextTokens),
      terms: this.#terms,
      usageBody: this.#usage,
      finished: this.#hasReason,
      empty: false,
    });
  }

  #end(events: AnswerEvent[]): void {
    this.isOver = true;
    events.push({ ...eventOf({ type: "message_stop" }), finished: true });
  }

  #add(
    events: AnswerEvent[],
    chunk: JsonObject,
    { text, isThought }: Written = NOTHING,
    isAtWork = false,
  ): void {
    const seal = sealIn(chunk);
    events.push({
      ...eventOf(chunk),
      ...(seal !== undefined && { seal }),
      text,
      thoughts: isThought === true ? text.length : 0,
      ...(isAtWork && { isAtWork }),
    });
  }
}

function sealIn({ delta, content_block: block }: JsonObject): string | undefined {
  return nonEmptyString(asObject(delta)?.signature) ?? sealOf(asObject(block) ?? {});
}

function eventOf(chunk: JsonObject): AnswerEvent {
  return {
    chunk,
    text: "",
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
  };
}

function writtenIn({ text, thinking, partial_json, content }: JsonObject): Written {
  if (typeof thinking === "string") return { text: thinking, isThought: true };
  for (const written of [text, partial_json, content]) {
    if (typeof written === "string") return { text: written };
  }
  return NOTHING;
}
