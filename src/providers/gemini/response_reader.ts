/**
 * Reads a stream of responses, which ends with its connection.
 *
 * @module
 */

import { searchesIn, withSearches } from "../../dialects/gemini/searches.ts";
import { readUsage, termsOf } from "../../dialects/gemini/usage.ts";
import type { Route } from "../../domain/catalogue.ts";
import type { AnswerEvent } from "../../dialects/base/answer.ts";
import { asObject, type JsonObject } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { EventReader } from "../upstream/event_feed.ts";
import { type ResponseContext, takeResponse } from "./take_response.ts";

/** How long the end is waited for once the reason is told: a last count may follow. */
const REST_MS = 10_000;

export class ResponseReader implements EventReader {
  readonly endMark = undefined;
  readonly isOver = false;
  /** Known once it is known with which key the stream was opened. */
  readonly #context: () => ResponseContext;
  readonly #route: Pick<Route, "supports" | "upstreamModel">;
  #hasBegun = false;
  #hasOutput = false;
  #isFinished = false;
  #usage: JsonObject | undefined;
  #terms: Terms | undefined;
  /** Of all parts so far: each tells its own, or all again. */
  #searches = 0;

  constructor(context: () => ResponseContext, route: Pick<Route, "supports" | "upstreamModel">) {
    this.#context = context;
    this.#route = route;
  }

  get restMs(): number | undefined {
    return this.#isFinished ? REST_MS : undefined;
  }

  read(value: JsonObject, _name: string, events: AnswerEvent[]): void {
    this.#hasBegun = true;
    const { supports, upstreamModel: model } = this.#route;
    const searched = searchesIn(value, model);
    this.#searches = Math.max(this.#searches, searched);
    const { text, thoughts, seal, hasOutput, isFinished } = takeResponse(
      value,
      this.#context(),
      this.#hasOutput,
    );
    this.#hasOutput = hasOutput;
    this.#isFinished ||= isFinished;
    const usage = asObject(value.usageMetadata);
    // Each is the whole so far; the first may say no more than what serves.
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage };
    if (usage !== undefined) this.#terms = termsOf(this.#usage!) ?? this.#terms;
    const counted = (usage !== undefined || searched > 0) && this.#usage !== undefined
      ? readUsage(this.#usage, supports.contextTokens)
      : undefined;
    const work = counted && withSearches(counted, this.#searches);
    const isCounted = usage?.promptTokenCount !== undefined ||
      usage?.totalTokenCount !== undefined || (searched > 0 && work !== undefined);
    events.push({
      chunk: value,
      text,
      thoughts,
      usage: work,
      terms: this.#terms,
      usageBody: isCounted ? this.#usage : undefined,
      finished: isFinished,
      ...(seal !== undefined && { seal }),
      empty: text === "" && !hasOutput && !isFinished,
    });
  }

  end(_by: "mark" | "body", _events: AnswerEvent[]): void {
    if (!this.#hasBegun) throw new UpstreamError("broken", "The upstream sent an empty stream");
    if (!this.#isFinished) {
      throw new UpstreamError("broken", "The upstream cut its stream before a finish reason");
    }
  }

  cutShort(events: AnswerEvent[]): void {
    events.push({
      chunk: { candidates: [{ finishReason: "MAX_TOKENS" }] },
      text: "",
      usage: undefined,
      usageBody: undefined,
      finished: true,
      empty: false,
    });
  }
}
