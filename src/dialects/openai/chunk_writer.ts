/**
 * Chunks of chats and completions as server-sent events, with the usage and the price at the end.
 *
 * @module
 */

import type { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerFacts } from "../base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { StreamWriter } from "../base/dialect.ts";
import { errorObject } from "./family.ts";

/** How the caller wants its chunks. */
export interface ChatWriterOptions {
  /** Logical model id, which replaces the upstream's in every chunk. */
  readonly model: string;
  /** `stream_options.include_usage`: usage null on every chunk, and a last chunk with the counts. */
  readonly includeUsage: boolean;
  /** What chunks are called; chat's where absent. */
  readonly object?: string;
}

export class ChatWriter implements StreamWriter {
  readonly #options: ChatWriterOptions;
  #lastChunk: JsonObject = {};

  constructor(options: ChatWriterOptions) {
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
    const { includeUsage, model, object = "chat.completion.chunk" } = this.#options;
    const { id, created } = this.#lastChunk;
    const usageChunk = includeUsage
      ? `data: ${JSON.stringify({ id, object, created, model, choices: [], ...facts })}\n\n`
      : "";
    return `${usageChunk}: tollgate ${JSON.stringify(facts)}\n\ndata: [DONE]\n\n`;
  }

  /** No `choices`, and no `[DONE]` after it, or clients take it for success. */
  errorFrame(error: GatewayError): string {
    return `data: ${JSON.stringify({ error: errorObject(error) })}\n\n`;
  }
}
