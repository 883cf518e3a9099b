/**
 * Events of a message as server-sent events, with the price in the last of those that end it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { isObject } from "../../domain/json_value.ts";
import type { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerFacts } from "../base/answer.ts";
import type { StreamWriter } from "../base/dialect.ts";
import { errorFrame } from "./family.ts";

/** What ends a message whose upstream has not said why it does. */
const PLAIN_END = {
  type: "message_delta",
  delta: { stop_reason: "end_turn", stop_sequence: null },
} as const;

export class MessageWriter implements StreamWriter {
  /** Its clients know no comments as signs of life. */
  readonly keepAlive = frameOf({ type: "ping" });
  readonly #model: string;
  /** The newest `message_delta`: whether it is the last one shows only afterwards. */
  #held: JsonObject | undefined;
  /** Number of the block that is open. */
  #open: unknown;

  /** @param model Logical model id, which replaces the upstream's. */
  constructor(model: string) {
    this.#model = model;
  }

  frame({ chunk }: AnswerEvent): string {
    switch (chunk.type) {
      case "message_stop":
        return "";
      case "message_delta": {
        const before = this.#takeHeld();
        this.#held = chunk;
        return before;
      }
      case "ping":
        return frameOf(chunk);
      case "message_start":
        if (isObject(chunk.message)) chunk.message.model = this.#model;
        break;
      case "content_block_start":
        this.#open = chunk.index;
        break;
      case "content_block_stop":
        this.#open = undefined;
        break;
    }
    return this.#takeHeld() + frameOf(chunk);
  }

  tail({ provider, route, usage, pricing }: AnswerFacts): string {
    const end = { ...this.#held ?? PLAIN_END, usage, provider, route, pricing };
    return frameOf(end) + frameOf({ type: "message_stop" });
  }

  /** No `message_stop` after it: it is no end that a client may take for one. */
  errorFrame(error: GatewayError): string {
    const index = this.#open;
    const closed = index === undefined ? "" : frameOf({ type: "content_block_stop", index });
    return closed + frameOf(errorFrame(error));
  }

  #takeHeld(): string {
    const held = this.#held;
    if (held === undefined) return "";
    this.#held = undefined;
    return frameOf(held);
  }
}

/** Clients skip events without a name. */
function frameOf(chunk: JsonObject): string {
  return `event: ${String(chunk.type)}\ndata: ${JSON.stringify(chunk)}\n\n`;
}
