/**
 * What the events of a stream of the Responses API mean.
 *
 * @module
 */

import { tierOf } from "../../../dialects/openai/settings.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { EventReader } from "../../upstream/event_feed.ts";
import { OutputItems } from "./output_items.ts";
import { providerEvent } from "./streamed_item.ts";
import {
  failureOfResponse,
  repairResponse,
  type RepairResponseOptions,
  repairUsage,
  type ResponseContext,
} from "./repair_response.ts";

/** Reads typed events; the one that ends the response ends the stream. */
export class ResponseReader implements EventReader {
  readonly endMark = "[DONE]";
  readonly #context: ResponseContext;
  readonly #items: OutputItems;
  /** One throughout, whatever the upstream calls its response later. */
  #id: unknown;
  #hasBegun = false;
  #isOver = false;

  constructor(context: ResponseContext) {
    this.#context = context;
    this.#items = new OutputItems(context);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  read(event: JsonObject, name: string, events: AnswerEvent[]): void {
    const type = nonEmptyString(event.type) ?? name;
    if (type === "") {
      throw new UpstreamError("broken", "The upstream sent an event without a type");
    }
    event.type = type;
    // The gateway counts events anew: some are put in, and some left out.
    delete event.sequence_number;
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return this.#progress(event, events);
      case "response.failed":
        throw this.#failed(event);
      case "response.completed":
      case "response.incomplete":
        return this.#finish(event, events);
      default:
        this.#requireBegun(undefined, events);
        this.#items.read(event, events);
    }
  }

  end(): void {
    throw new UpstreamError(
      "broken",
      this.#hasBegun
        ? "The upstream cut its stream before the end of its response"
        : "The upstream sent an empty stream",
    );
  }

  cutShort(events: AnswerEvent[]): void {
    const response = { incomplete_details: { reason: "max_output_tokens" } };
    this.#finish({ type: "response.incomplete", response }, events);
  }

  #progress(event: JsonObject, events: AnswerEvent[]): void {
    // Told twice, or too late: clients begin anew then, and raise at items that go on.
    if (this.#items.hasAny || (this.#hasBegun && event.type === "response.created")) return;
    const response = isObject(event.response) ? event.response : {};
    event.response = response;
    const status = event.type === "response.queued" ? "queued" : "in_progress";
    // Nothing has been used yet: zeros of some servers, OpenAI's null, which its schema does not have.
    delete response.usage;
    // What there is of it has its own events.
    response.output = [];
    this.#repair(response, status);
    if (event.type === "response.created") this.#hasBegun = true;
    else this.#requireBegun(response, events);
    events.push(providerEvent(event));
  }

  #finish(event: JsonObject, events: AnswerEvent[]): void {
    const response = isObject(event.response) ? event.response : {};
    const failure = failureOfResponse(response, this.#context);
    if (failure !== undefined) throw failure;
    const isIncomplete = event.type === "response.incomplete" || response.status === "incomplete";
    const status = isIncomplete ? "incomplete" : "completed";
    this.#requireBegun(response, events);
    response.output = this.#items.finish(response.output, status, events);
    const normalised = repairUsage(response, this.#context.bounds);
    this.#repair(response, status);
    this.#isOver = true;
    events.push({
      ...providerEvent({ ...event, type: `response.${status}`, response }),
      usage: normalised?.usage,
      terms: tierOf(response),
      usageBody: normalised?.body,
      finished: true,
    });
  }

  /** Clients know of nothing before `response.created`, and raise. */
  #requireBegun(like: JsonObject | undefined, events: AnswerEvent[]): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response: JsonObject = { ...like, output: [] };
    delete response.usage;
    this.#repair(response, "in_progress");
    events.push(providerEvent({ type: "response.created", response }));
  }

  #repair(response: JsonObject, status: RepairResponseOptions["status"]): void {
    repairResponse(response, { ...this.#context, status });
    response.id = this.#id ??= response.id;
  }

  #failed({ response }: JsonObject): UpstreamError {
    const failed = isObject(response) ? response : {};
    return failureOfResponse({ ...failed, status: "failed" }, this.#context)!;
  }
}
