/**
 * What the events of a chat stream mean.
 *
 * @module
 */

import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { ChunkRepairer } from "./chunk_repairer.ts";
import type { AnswerContext } from "./convert_answer.ts";
import type { EventReader } from "../../upstream/event_stream.ts";

/** Reads chat chunks. */
export class ChatReader implements EventReader {
  readonly endMark = "[DONE]";
  /** Usage may follow the last finish reason: only `[DONE]` or the body's end is the end. */
  readonly isOver = false;
  readonly #repairer: ChunkRepairer;

  constructor(context: AnswerContext) {
    this.#repairer = new ChunkRepairer(context);
  }

  read(value: JsonObject, _name: string, events: AnswerEvent[]): void {
    this.#repairer.add(value, events);
  }

  end(by: "mark" | "body", events: AnswerEvent[]): void {
    if (!this.#repairer.hasBegun) {
      throw new UpstreamError("broken", "The upstream sent an empty stream");
    }
    if (by === "body" && !this.#repairer.isComplete) {
      throw new UpstreamError("broken", "The upstream cut its stream before a finish reason");
    }
    this.#repairer.finish(events);
  }

  cutShort(events: AnswerEvent[]): void {
    this.#repairer.finish(events, "length");
  }
}
