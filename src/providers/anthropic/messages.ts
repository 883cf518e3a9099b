/**
 * Messages at an upstream that speaks Anthropic's dialect.
 *
 * @module
 */

import { lastSeal } from "../../dialects/anthropic_messages/own_seal.ts";
import { readUsage, termsOf } from "../../dialects/anthropic_messages/usage.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../../dialects/base/answer.ts";
import { writeJson } from "../../domain/json_source.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { Route } from "../../domain/catalogue.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Conversation, ProviderCall } from "../contract/provider.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { collectStream, isEventStream } from "../upstream/collect_stream.ts";
import { openEventStream } from "../upstream/open_event_stream.ts";
import { convertCount, convertRequest } from "./convert_request.ts";
import { orUnsealed } from "./unsealed_request.ts";
import { MessageReader } from "./message_reader.ts";
import { eventsOfMessage, WholeMessage } from "./whole_message.ts";

const BETA = "anthropic-beta";

/** What an upstream is asked for. */
export interface Asked {
  readonly what: "answer" | "stream" | "count";
  readonly route: Route;
  /** Of the caller's, and with them the operator's. */
  readonly headers: ProviderCall["headers"];
}

/** How an upstream of the dialect is asked, where that is not everywhere alike. */
export interface MessagesForm {
  /** Behind the endpoint's address. */
  path(asked: Asked): string;
  /** Betas that the operator has every request ask for. */
  readonly betas?: string | undefined;
  /** Changes what is sent: a vendor may want the model in the path, or betas in the body. May change its argument. */
  readonly adjust?: (body: JsonObject, asked: Asked) => JsonObject;
  /** Headers to send; absent: those that were asked for. */
  readonly headers?: (asked: Asked) => ProviderCall["headers"];
}

/** The paths of the API as Anthropic has it. */
export function usualPath(prefix: string): MessagesForm["path"] {
  const path = `${prefix}/messages`;
  return ({ what }) => what === "count" ? `${path}/count_tokens` : path;
}

export class Messages implements Conversation {
  readonly #endpoint: Endpoint;
  readonly #form: MessagesForm;

  constructor(endpoint: Endpoint, form: MessagesForm) {
    this.#endpoint = endpoint;
    this.#form = form;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const message = await orUnsealed(
      convertRequest(call, false),
      (body) => this.#ask("answer", { call, body, signal }),
    );
    if (!Array.isArray(message.content) || !message.content.every(isObject)) {
      throw new UpstreamError("broken", "The upstream's answer is no message", { status: 200 });
    }
    const { content } = message;
    const reported = asObject(message.usage);
    const usage = reported && readUsage(reported, call.route.supports.contextTokens);
    if (usage === undefined && reported !== undefined) delete message.usage;
    return {
      body: message,
      usage,
      terms: reported && termsOf(reported),
      seal: lastSeal(content),
      text: () => content.map((block) => textOf(block as JsonObject)).join(""),
    };
  }

  async stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    const reader = new MessageReader(call.route.supports.contextTokens);
    return await orUnsealed(
      convertRequest(call, true),
      (asked) =>
        openEventStream(this.#endpoint, {
          ...this.#formed("stream", call, asked),
          reader,
          eventsOf: (whole) => eventsOfWhole(whole, reader),
          room: call.room,
          signal,
        }),
    );
  }

  async countTokens(call: ProviderCall, signal: AbortSignal): Promise<JsonObject> {
    const count = await orUnsealed(
      convertCount(call),
      (body) => this.#ask("count", { call, body, signal }),
    );
    if (!Number.isSafeInteger(count.input_tokens) || (count.input_tokens as number) < 0) {
      throw new UpstreamError("broken", "The upstream's answer is no count", { status: 200 });
    }
    return count;
  }

  async #collect(response: UpstreamResponse, call: ProviderCall): Promise<JsonObject> {
    const whole = new WholeMessage();
    const { usageBody } = await collectStream(this.#endpoint, response, {
      reader: new MessageReader(call.route.supports.contextTokens),
      room: call.room,
      add: (event) => whole.add(event),
    });
    return { ...whole.body, ...(usageBody && { usage: usageBody }) };
  }

  /** A request as this upstream takes it. */
  #formed(what: Asked["what"], call: ProviderCall, body: JsonObject) {
    const { path, adjust, headers } = this.#form;
    const asked = { what, route: call.route, headers: this.#headersOf(call) };
    return {
      path: path(asked),
      body: writeJson(adjust === undefined ? body : adjust(body, asked)),
      headers: headers === undefined ? asked.headers : headers(asked),
    };
  }

  /** The caller's, and with its betas the operator's. */
  #headersOf({ headers }: ProviderCall): ProviderCall["headers"] {
    const { betas } = this.#form;
    const asked = headers?.[BETA];
    if (asked === undefined || betas === undefined) return headers;
    return { ...headers, [BETA]: `${betas},${asked}` };
  }

  async #ask(what: Asked["what"], { call, body, signal }: {
    readonly call: ProviderCall;
    readonly body: JsonObject;
    readonly signal: AbortSignal;
  }): Promise<JsonObject> {
    const { path, body: text, headers } = this.#formed(what, call, body);
    return await this.#endpoint.withKeys(async (credential) => {
      const request = { method: "POST", path, body: text, credential } as const;
      const response = await this.#endpoint.send(
        { ...request, ...(headers && { headers }) },
        signal,
      );
      if (what === "answer" && isEventStream(response)) return await this.#collect(response, call);
      return await this.#endpoint.jsonOf(response, { room: call.room });
    });
  }
}

/** The events that a message in one piece would have had; `undefined` of what is none. */
function eventsOfWhole(
  message: JsonObject,
  reader: MessageReader,
): readonly AnswerEvent[] | undefined {
  const events: AnswerEvent[] = [];
  const told = eventsOfMessage(message);
  for (const event of told ?? []) reader.read(event, "", events);
  return told && events;
}

/** What the model wrote in a block: text, thoughts, a call. */
function textOf({ type, text, thinking, name, input, content }: JsonObject): string {
  if (type === "tool_use") return `${String(name)}${JSON.stringify(input ?? {})}`;
  const said = [thinking, text].filter((one) => typeof one === "string").join("");
  return said + asArray(content).map((part) => isObject(part) ? textOf(part) : "").join("");
}
