/**
 * Messages at an upstream that speaks Anthropic's dialect.
 *
 * @module
 */

import { lastSeal } from "../../dialects/anthropic_messages/own_seal.ts";
import { readUsage, termsOf } from "../../dialects/anthropic_messages/usage.ts";
import type { Answer, AnswerStream } from "../../dialects/base/answer.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Conversation, ProviderCall } from "../contract/provider.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import { openEventStream } from "../upstream/open_event_stream.ts";
import { convertCount, convertRequest } from "./convert_request.ts";
import { MessageReader } from "./message_reader.ts";

const BETA = "anthropic-beta";

export class Messages implements Conversation {
  readonly #endpoint: Endpoint;
  readonly #path: string;
  readonly #betas: string | undefined;

  /**
   * @param path Behind the endpoint's address.
   * @param betas That the operator has every request ask for.
   */
  constructor(endpoint: Endpoint, path: string, betas: string | undefined) {
    this.#endpoint = endpoint;
    this.#path = path;
    this.#betas = betas;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const message = await this.#ask(this.#path, {
      call,
      body: convertRequest(call, false),
      signal,
    });
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
    return await openEventStream(this.#endpoint, {
      path: this.#path,
      body: JSON.stringify(convertRequest(call, true)),
      headers: this.#headersOf(call),
      reader: new MessageReader(call.route.supports.contextTokens),
      room: call.room,
      signal,
    });
  }

  async countTokens(call: ProviderCall, signal: AbortSignal): Promise<JsonObject> {
    const path = `${this.#path}/count_tokens`;
    const count = await this.#ask(path, { call, body: convertCount(call), signal });
    if (!Number.isSafeInteger(count.input_tokens) || (count.input_tokens as number) < 0) {
      throw new UpstreamError("broken", "The upstream's answer is no count", { status: 200 });
    }
    return count;
  }

  /** The caller's, and with its betas the operator's. */
  #headersOf({ headers }: ProviderCall): ProviderCall["headers"] {
    const asked = headers?.[BETA];
    if (asked === undefined || this.#betas === undefined) return headers;
    return { ...headers, [BETA]: `${this.#betas},${asked}` };
  }

  async #ask(path: string, { call, body, signal }: {
    readonly call: ProviderCall;
    readonly body: JsonObject;
    readonly signal: AbortSignal;
  }): Promise<JsonObject> {
    const text = JSON.stringify(body);
    const headers = this.#headersOf(call);
    return await this.#endpoint.withKeys(async (credential) => {
      const request = { method: "POST", path, body: text, credential } as const;
      const response = await this.#endpoint.send(
        { ...request, ...(headers && { headers }) },
        signal,
      );
      return await this.#endpoint.jsonOf(response, { room: call.room });
    });
  }
}

/** What the model wrote in a block: text, thoughts, a call. */
function textOf({ type, text, thinking, name, input, content }: JsonObject): string {
  if (type === "tool_use") return `${String(name)}${JSON.stringify(input ?? {})}`;
  const said = [thinking, text].filter((one) => typeof one === "string").join("");
  return said + asArray(content).map((part) => isObject(part) ? textOf(part) : "").join("");
}
