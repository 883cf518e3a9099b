/**
 * What a dialect has to have to be converted: as the one that a caller speaks, and as the one that
 * an upstream does.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { Answer, AnswerEvent } from "./answer.ts";
import type { CompletionIds } from "./completion_ids.ts";
import type { Seal } from "../turns/blocks.ts";
import type { AnswerSink } from "../turns/answer_sink.ts";
import type { EventQueue } from "./event_queue.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";

/** What answers are completed with that no upstream gives. */
export interface AnswerParts {
  readonly clock: Clock;
  readonly ids: CompletionIds;
  /**
   * What a caller gets as the seal on thoughts, which it gives back with them: the upstream's, or that
   * there was none, with the name of the route. `unwrapSeal` reads it.
   */
  readonly seal: (upstreams?: Seal) => string;
  /** Wraps a summary for its project; there wherever one may be asked for. */
  readonly sealSummary?: ((summary: string) => string) | undefined;
}

/** How requests are written. */
export interface WriteOptions {
  /** Whether an assistant's thoughts go back with the tool calls that they led to. */
  readonly keepsReasoning: boolean;
  /** Whether the route names a field that only some upstreams of the dialect have; absent: it does not. */
  readonly isNamed?: (field: string) => boolean;
  /** The model's name at its upstream, for what only some of a vendor's models take; absent: any. */
  readonly model?: string;
  /** What the route says of that model; absent: nothing. */
  readonly supports?: ModelTraits;
}

/** How requests are read. */
export interface ReadOptions {
  /** Of the caller's headers those that the dialect passes on; absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the upstream goes on with a last message of the assistant's; absent: it does not. */
  readonly continuesLast?: boolean;
}

/** Reads callers' requests. */
export interface RequestReader {
  /** @throws {UpstreamError} `caller`, naming the field that is wrong. */
  readRequest(body: Readonly<JsonObject>, options?: ReadOptions): TurnsRequest;
}

/** Writes upstreams' requests. */
export interface RequestWriter {
  /** @throws {NotCarried} Naming what the dialect cannot say. */
  writeRequest(request: TurnsRequest, options: WriteOptions): JsonObject;
}

/** Makes a caller's answer of what it is told. */
export interface AnswerWriter extends AnswerSink {
  /** The answer in one piece, once it has ended. */
  readonly whole: JsonObject;
}

/** Tells a sink what an upstream's answer says. */
export interface AnswerReader {
  /** @throws {UpstreamError} `broken` when the upstream says that it failed. */
  addEvent(event: AnswerEvent): void;
  /** An answer in one piece. */
  addWhole(answer: Answer): void;
  /** The answer is over. */
  end(): void;
}

/** A dialect that callers may speak whatever the upstream does. */
export interface CallersForm extends RequestReader {
  /** In words, what of its requests is left out where an upstream has nothing like it; absent: nothing. */
  readonly leftOut?: string;
  /**
   * @param body The caller's request, whose settings the answer may say back.
   * @param events Takes those that write it, of a stream.
   */
  answerWriter(
    body: Readonly<JsonObject>,
    parts: AnswerParts,
    events?: EventQueue,
  ): AnswerWriter;
}

/** A dialect that upstreams may speak whatever the caller does. */
export interface UpstreamsForm extends RequestWriter {
  answerReader(sink: AnswerSink): AnswerReader;
  /** Whether the model has to be made to call its answer where a schema is demanded; absent: never. */
  answersByCall?(request: TurnsRequest, options: Pick<WriteOptions, "model" | "supports">): boolean;
}
