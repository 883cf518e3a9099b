/**
 * Chat chunks as server-sent events, with the usage and the price at the end.
 *
 * @module
 */

import type { GatewayError } from "../errors.ts";
import type { AnswerEvent } from "../dialects/answer.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { AnswerFacts } from "./answer_facts.ts";
import type { StreamDialect } from "./call_request.ts";

/** How the caller wants its chunks. */
export interface ChatDialectOptions {
  /** Logical model id, which replaces the upstream's in every chunk. */
  readonly model: string;
  /** `stream_options.include_usage`: usage null on every chunk, and a last chunk with the counts. */
  readonly includeUsage: boolean;
}

/** See the module's text. */
export class ChatDialect implements StreamDialect {
  readonly #options: ChatDialectOptions;
  #lastChunk: JsonObject = {};

  constructor(options: ChatDialectOptions) {
    this.#options = options;
  }

  frame({ chunk, empty, usageBody }: AnswerEvent): string {
    const { includeUsage, model } = this.#options;
    if (empty && (!includeUsage || usageBody !== undefined)) return "";
    chunk.model = model;
    if (includeUsage) chunk.usage = null;
    this.#lastChunk = chunk;
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }

  tail(facts: AnswerFacts): string {
    const { includeUsage, model } = this.#options;
    const { id, created } = this.#lastChunk;
    const object = "chat.completion.chunk";
    const usageChunk = includeUsage
      ? `data: ${JSON.stringify({ id, object, created, model, choices: [], ...facts })}\n\n`
      : "";
    return `${usageChunk}: tollgate ${JSON.stringify(facts)}\n\ndata: [DONE]\n\n`;
  }

  /** No `choices`, and no `[DONE]` after it, or clients take it for success. */
  errorFrame(error: GatewayError): string {
    const { message, param, code } = error;
    return `data: ${JSON.stringify({ error: { message, type: error.row.type, param, code } })}\n\n`;
  }
}
