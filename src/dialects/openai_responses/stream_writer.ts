/**
 * Events of the Responses API as server-sent events: numbered, with the gateway's
 * own fields, and with usage and price in the last one.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerFacts } from "../base/answer.ts";
import type { StreamWriter } from "../base/dialect.ts";
import { errorObject } from "../openai/family.ts";

export class ResponseWriter implements StreamWriter {
  /** Fields that are the gateway's to say in every Response object. */
  readonly #own: Readonly<JsonObject>;
  #sequence = 0;
  /** The last event, held back until the call is settled. */
  #last: JsonObject | undefined;
  /** The Response object as it was last sent, for a failure to tell. */
  #response: JsonObject = {};

  constructor(own: Readonly<JsonObject>) {
    this.#own = own;
  }

  frame({ chunk, finished }: AnswerEvent): string {
    const { response } = chunk;
    if (isObject(response)) this.#response = Object.assign(response, this.#own);
    if (finished) {
      this.#last = chunk;
      return "";
    }
    return this.#write(chunk);
  }

  /** Changes nothing: where the call's end cannot be written, an error comes in its place. */
  tail(facts: AnswerFacts): string {
    const comment = `: tollgate ${JSON.stringify(facts)}\n\n`;
    const last = this.#last!;
    const response = "response" in last ? { response: { ...this.#response, ...facts } } : {};
    return comment + frameOf({ ...last, ...response, sequence_number: this.#sequence });
  }

  /**
   * `response.failed` tells those who read events, and `error` makes SDKs raise:
   * nested for OpenAI's Python and Node clients, flat as OpenAI's schema has it.
   */
  errorFrame(error: GatewayError): string {
    const { message, param, code } = error;
    const { type } = error.row;
    const shown = type === "rate_limit_error" ? "rate_limit_exceeded" : "server_error";
    const failed = this.#write({
      type: "response.failed",
      response: {
        ...this.#response,
        status: "failed",
        error: { code: shown, message, type },
      },
    });
    return failed + this.#write({ type: "error", code, message, param, error: errorObject(error) });
  }

  /**
   * The Response object that ended the stream; what is changed in it, its caller sees.
   *
   * @throws {TypeError} When the provider left the last event out: such an answer is neither kept nor charged.
   */
  protected get whole(): JsonObject {
    if (this.#last === undefined) throw new TypeError("The stream ended without its last event");
    return this.#response;
  }

  /** Numbers an event in place: copying each one would cost as much as writing it. */
  #write(event: JsonObject): string {
    event.sequence_number = this.#sequence++;
    return frameOf(event);
  }
}

function frameOf(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
