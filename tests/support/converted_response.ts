/**
 * Chat streams and answers on their way through the conversion to the Responses
 * API, with ids and times that a test can foresee.
 *
 * @module
 */

import type { Clock } from "../../src/domain/clock.ts";
import type { CompletionIds } from "../../src/dialects/base/completion_ids.ts";
import { ChunkRepairer } from "../../src/providers/openai_compatible/chat/chunk_repairer.ts";
import {
  type AnswerContext,
  convertAnswer,
} from "../../src/providers/openai_compatible/chat/convert_answer.ts";
import type { ProviderCall } from "../../src/providers/contract/provider.ts";
import { EventQueue } from "../../src/dialects/base/event_queue.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { ConvertedStream } from "../../src/providers/converted_exchange.ts";
import { chatRoute, readAll } from "./provider_parts.ts";
import { RESPONSES_OVER_CHAT } from "./responses_over_chat.ts";
import { sealOf } from "./thought_seals.ts";

/** Unix time at which every test answers. */
export const NOW_SECONDS = 1_800_000_000;

const CLOCK: Clock = { now: () => NOW_SECONDS * 1000 + 700, monotonic: () => 0 };

/** A call in the form of the Responses API. */
export function responseCall(
  body: JsonObject = {},
  options: { route?: ProviderCall["route"]; outputTokensCap?: number } = {},
): ProviderCall {
  return {
    route: options.route ?? chatRoute(),
    body: {
      model: "model",
      input: [{ type: "message", role: "user", content: "Hello" }],
      ...body,
    },
    outputTokensCap: options.outputTokensCap,
  };
}

/** Ids that count up: `msg_1`, `fc_2` … */
export function countedIds(): CompletionIds {
  let count = 0;
  return {
    answer: (prefix) => `${prefix}-${++count}`,
    completion: () => `chatcmpl-${++count}`,
    toolCall: () => `call_made_${++count}`,
    item: (prefix) => `${prefix}_${++count}`,
  };
}

/** Upstream chunks, repaired as those of a real stream are; one list is one network read. */
export class ChunkStream implements AnswerStream {
  isCancelled = false;
  readonly #reads: (readonly JsonObject[])[];
  readonly #repairer = new ChunkRepairer(answerContext());
  #isDone = false;

  constructor(reads: readonly (readonly JsonObject[])[]) {
    this.#reads = structuredClone(reads.slice());
  }

  // deno-lint-ignore require-await
  async next(): Promise<readonly AnswerEvent[] | undefined> {
    const events: AnswerEvent[] = [];
    const read = this.#reads.shift();
    if (read !== undefined) { for (const chunk of read) this.#repairer.add(chunk, events); }
    else if (this.#isDone) return undefined;
    else {
      this.#isDone = true;
      this.#repairer.finish(events);
      if (events.length === 0) return undefined;
    }
    return events;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** Converts a stream to its end. */
export function convertStream(
  reads: readonly (readonly JsonObject[])[],
  call: ProviderCall = responseCall(),
): Promise<AnswerEvent[]> {
  return readAll(eventsOver(new ChunkStream(reads), call));
}

/** The conversion of a chat stream. */
export function eventsOver(
  chat: AnswerStream,
  call: ProviderCall = responseCall(),
): ConvertedStream {
  return new ConvertedStream(chat, { ...conversionOf(call, new EventQueue()), room: call.room });
}

/** An upstream's plain answer, repaired as a real one is. */
export function repairedAnswer(chat: JsonObject): Answer {
  const answer = convertAnswer(structuredClone(chat), answerContext());
  if (answer === undefined) throw new Error("That is no chat completion");
  return answer;
}

/** Converts one. */
export function convertPlain(
  chat: JsonObject,
  call: ProviderCall = responseCall(),
): Answer {
  const answer = repairedAnswer(chat);
  const { reader, writer } = conversionOf(call, undefined);
  reader.addWhole(answer);
  reader.end();
  return { body: writer.whole, usage: answer.usage, text: answer.text };
}

function conversionOf<Events extends EventQueue | undefined>(
  { body }: ProviderCall,
  events: Events,
) {
  const { from, to } = RESPONSES_OVER_CHAT;
  const parts = { clock: CLOCK, ids: countedIds(), seal: sealOf };
  const writer = from.callers.answerWriter(body, parts, events);
  return { writer, events, reader: to.upstreams.answerReader(writer) };
}

function answerContext(): AnswerContext {
  return {
    ids: countedIds(),
    upstreamModel: "upstream-model",
    nowSeconds: NOW_SECONDS,
    bounds: {},
  };
}
