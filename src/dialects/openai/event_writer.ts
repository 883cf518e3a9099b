/**
 * Events that have a type, as server-sent events, the last one with what the answer says of itself.
 *
 * @module
 */

import type { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { AnswerEvent, AnswerFacts } from "../base/answer.ts";
import type { StreamWriter } from "../base/dialect.ts";
import { errorObject } from "./family.ts";

/** Holds the last event back until the call is settled: it tells of usage and price. */
export class EventWriter implements StreamWriter {
  #last: JsonObject | undefined;

  frame({ chunk, finished }: AnswerEvent): string {
    if (!finished) return frameOf(chunk);
    const before = this.#last;
    this.#last = chunk;
    return before === undefined ? "" : frameOf(before);
  }

  tail(facts: AnswerFacts): string {
    const last = this.#last === undefined ? "" : frameOf({ ...this.#last, ...facts });
    return `${last}: tollgate ${JSON.stringify(facts)}\n\n`;
  }

  errorFrame(error: GatewayError): string {
    return frameOf({ type: "error", error: errorObject(error) });
  }
}

function frameOf(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
