/**
 * Chunks of chats and completions as server-sent events, with the usage and the price at the end.
 *
 * @module
 */

import type { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerFacts } from "../base/answer.ts";
import {
  type ChunkPattern,
  CopiedChunk,
  cutAtMarks,
  joined,
  markedChunk,
} from "../base/chunk_copy.ts";
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
  /** What the last copies were of, and how such are written. */
  #pattern: ChunkPattern | undefined;
  #pieces: readonly string[] | undefined;

  constructor(options: ChatWriterOptions) {
    this.#options = options;
  }

  frame(event: AnswerEvent): string {
    if (event instanceof CopiedChunk) {
      const frame = this.#copy(event);
      if (frame !== undefined) return frame;
    }
    const { chunk, empty, usageBody } = event;
    if (empty && (!this.#options.includeUsage || usageBody !== undefined)) return "";
    return this.#write(chunk);
  }

  tail(facts: AnswerFacts): string {
    const { includeUsage, model, object = "chat.completion.chunk" } = this.#options;
    const { id, created } = this.#lastChunk;
    const usageChunk = includeUsage
      ? `data: ${JSON.stringify({ id, object, created, model, choices: [], ...facts })}\n\n`
      : "";
    return `${usageChunk}: tollgate ${JSON.stringify(facts)}\n\ndata: [DONE]\n\n`;
  }

  #write(chunk: JsonObject): string {
    const { includeUsage, model } = this.#options;
    chunk.model = model;
    if (includeUsage) chunk.usage = null;
    this.#lastChunk = chunk;
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }

  /** The frame of a chunk that is written like others; `undefined` where what is alike has marks of its own. */
  #copy(copied: CopiedChunk): string | undefined {
    const { pattern } = copied;
    if (pattern !== this.#pattern) {
      this.#pattern = pattern;
      this.#pieces = cutAtMarks(this.#write(markedChunk(pattern)), pattern.pieces.length - 1);
    }
    return this.#pieces && joined(this.#pieces, copied);
  }

  /** No `choices`, and no `[DONE]` after it, or clients take it for success. */
  errorFrame(error: GatewayError): string {
    return `data: ${JSON.stringify({ error: errorObject(error) })}\n\n`;
  }
}
