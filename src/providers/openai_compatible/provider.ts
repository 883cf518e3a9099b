/**
 * The provider of every upstream that speaks OpenAI's protocol. A vendor is
 * configuration only: base URL, authentication, headers, query, body rules.
 *
 * @module
 */

import type { Clock, Random } from "../../domain/clock.ts";
import type { Provider as ProviderSettings, Route } from "../../domain/catalogue.ts";
import {
  type JsonObject,
  type Provider,
  type ProviderAnswer,
  type ProviderCall,
  type ProviderCheck,
  type ProviderStream,
  UpstreamError,
} from "../provider.ts";
import type { Transport, UpstreamRequest, UpstreamResponse } from "../transport.ts";
import { MAX_ANSWER_BYTES, MAX_ERROR_BYTES } from "../transport/limits.ts";
import { ChatStream } from "./chat_stream.ts";
import { type Concealed, redactSecrets } from "./clean_message.ts";
import { type CompletionIds, createCompletionIds } from "../completion_ids.ts";
import { type AnswerContext, convertAnswer } from "./convert_answer.ts";
import { convertRequest, outputLimitField } from "./convert_request.ts";
import { isObject } from "../json_value.ts";
import { KeyRing, type Secrets } from "./key_ring.ts";
import { errorInBand, errorOfAnswer, isErrorObject } from "./map_error.ts";

/** What the provider needs besides its settings. */
export interface OpenAiCompatibleOptions {
  readonly transport: Transport;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Creates a provider of kind `openai_compatible`.
 *
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createOpenAiCompatible(
  settings: ProviderSettings,
  options: OpenAiCompatibleOptions,
): Provider {
  return new OpenAiCompatible(settings, options);
}

class OpenAiCompatible implements Provider {
  readonly id: string;
  readonly #settings: ProviderSettings;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #ids: CompletionIds;
  readonly #keys: KeyRing;
  readonly #baseUrl: string;
  readonly #host: string;
  readonly #limitField: ReturnType<typeof outputLimitField>;

  constructor(settings: ProviderSettings, options: OpenAiCompatibleOptions) {
    const { baseUrl } = settings;
    if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new TypeError(
        `Cannot create provider '${settings.id}': base_url must be an http or https URL`,
      );
    }
    this.id = settings.id;
    this.#settings = settings;
    this.#transport = options.transport;
    this.#clock = options.clock;
    this.#ids = createCompletionIds(options.random);
    this.#keys = new KeyRing(settings, options);
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#host = new URL(baseUrl).host;
    this.#limitField = outputLimitField(baseUrl);
  }

  async chat(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer> {
    const response = await this.#send(call, { stream: false, signal });
    const text = await this.#successText(response);
    const body = this.#parse(text);
    if (isErrorObject(body)) throw errorInBand(body, this.#concealed());
    const answer = convertAnswer(body, this.#contextOf(call.route, call.body));
    if (answer === undefined) {
      throw new UpstreamError("broken", "The upstream's answer is no chat completion", {
        status: response.status,
      });
    }
    return answer;
  }

  async chatStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream> {
    const sentAt = this.#clock.monotonic();
    const response = await this.#send(call, { stream: true, signal });
    if (!isSuccess(response.status)) throw await this.#errorOf(response);
    if (!/^text\/event-stream\b/i.test(response.header("content-type") ?? "")) {
      throw await this.#notAStream(response);
    }
    return new ChatStream(response, {
      clock: this.#clock,
      timeouts: this.#settings.timeouts,
      sentAt,
      context: this.#contextOf(call.route, call.body),
      concealed: this.#concealed(),
    });
  }

  async check(signal: AbortSignal): Promise<ProviderCheck> {
    const startedAt = this.#clock.monotonic();
    const done = (ok: boolean, detail: string): ProviderCheck => ({
      ok,
      detail,
      milliseconds: Math.round(this.#clock.monotonic() - startedAt),
    });
    try {
      const response = await this.#transport.request(
        this.#request("GET", "/models", undefined),
        signal,
      );
      if (response.status === 404 || response.status === 405) {
        response.close();
        return done(
          true,
          `reachable; it lists no models (${response.status}), so the key was not checked`,
        );
      }
      const body = this.#parse(await this.#successText(response));
      const models = Array.isArray(body.data) ? body.data : body.models;
      return done(true, Array.isArray(models) ? `${models.length} models` : "reachable");
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return done(false, redactSecrets(error.message, this.#keys.secrets));
    }
  }

  #send(
    call: ProviderCall,
    options: { readonly stream: boolean; readonly signal: AbortSignal },
  ): Promise<UpstreamResponse> {
    const body = JSON.stringify(
      convertRequest(call, { stream: options.stream, limitField: this.#limitField }),
    );
    return this.#transport.request(
      this.#request("POST", "/chat/completions", body, options.stream),
      options.signal,
    );
  }

  #request(
    method: UpstreamRequest["method"],
    path: string,
    body: string | undefined,
    stream = false,
  ): UpstreamRequest {
    const headers = this.#keys.nextHeaders();
    headers.accept ??= stream ? "text/event-stream" : "application/json";
    headers["user-agent"] ??= "tollgate";
    if (body !== undefined) headers["content-type"] = "application/json";
    return {
      method,
      url: this.#urlOf(path),
      headers,
      body,
      timeouts: this.#settings.timeouts,
      stream,
    };
  }

  #urlOf(path: string): string {
    const query = Object.entries(this.#keys.query);
    if (query.length === 0) return this.#baseUrl + path;
    return `${this.#baseUrl}${path}?${new URLSearchParams(query)}`;
  }

  /** The text of a 2xx JSON answer. */
  async #successText(response: UpstreamResponse): Promise<string> {
    if (!isSuccess(response.status)) throw await this.#errorOf(response);
    const type = response.header("content-type") ?? "";
    if (/^text\/(?:html|event-stream)\b/i.test(type)) {
      response.close();
      throw new UpstreamError("broken", `The upstream answered with ${shortType(type)}, not JSON`, {
        status: response.status,
      });
    }
    return await response.text(MAX_ANSWER_BYTES);
  }

  #parse(text: string): JsonObject {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      // The parser's own message quotes the answer, which is the model's words: not for a log.
      const what = text.trim() === "" ? "an empty body" : "something that is not JSON";
      throw new UpstreamError("broken", `The upstream answered with ${what}`);
    }
    // Gemini wraps even the envelope of an error in a list.
    if (Array.isArray(body) && isObject(body[0]) && isErrorObject(body[0])) return body[0];
    if (!isObject(body)) {
      throw new UpstreamError("broken", "The upstream answered with JSON that is no object");
    }
    return body;
  }

  async #errorOf(response: UpstreamResponse): Promise<UpstreamError> {
    return errorOfAnswer({
      status: response.status,
      header: (name) => response.header(name),
      text: await boundedText(response),
      now: this.#clock.now(),
    }, this.#concealed());
  }

  /** A 200 that is no event stream: an error in JSON keeps its meaning, all else is broken. */
  async #notAStream(response: UpstreamResponse): Promise<UpstreamError> {
    const type = response.header("content-type") ?? "";
    if (/\bjson\b/i.test(type)) {
      try {
        const body = this.#parse(await boundedText(response));
        if (isErrorObject(body)) return errorInBand(body, this.#concealed());
      } catch (error) {
        if (error instanceof UpstreamError) return error;
        throw error;
      }
    }
    response.close();
    return new UpstreamError(
      "broken",
      `The upstream answered with ${shortType(type)} where an event stream was asked`,
      { status: response.status },
    );
  }

  #concealed(): Concealed {
    return { secrets: this.#keys.secrets, host: this.#host };
  }

  #contextOf(route: Route, body: Readonly<JsonObject>): AnswerContext {
    const { n } = body;
    return {
      ids: this.#ids,
      upstreamModel: route.upstreamModel,
      nowSeconds: Math.floor(this.#clock.now() / 1000),
      bounds: {
        contextTokens: route.supports.contextTokens,
        choices: typeof n === "number" && n > 1 ? n : 1,
      },
    };
  }
}

/** An error's body, or "" when it cannot be read: its status says enough. */
async function boundedText(response: UpstreamResponse): Promise<string> {
  try {
    return await response.text(MAX_ERROR_BYTES);
  } catch (error) {
    if (error instanceof UpstreamError && error.failure === "broken") return "";
    throw error;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A content type fit for a message: without parameters, bounded. */
function shortType(type: string): string {
  const name = type.split(";", 1)[0]!.trim().slice(0, 60);
  return /^[\w.+-]+\/[\w.+-]+$/.test(name) ? name : "no content type";
}
