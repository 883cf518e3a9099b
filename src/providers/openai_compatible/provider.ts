/**
 * The provider of every upstream that speaks OpenAI's protocol. A vendor is
 * configuration only: base URL, authentication, headers, query, body rules.
 *
 * @module
 */

import type { Random } from "../../domain/clock.ts";
import type { Provider as ProviderSettings, Route } from "../../domain/catalogue.ts";
import {
  type JsonObject,
  type Provider,
  type ProviderAnswer,
  type ProviderCall,
  type ProviderCheck,
  type ProviderStream,
  UpstreamError,
  type VideoUpstream,
} from "../provider.ts";
import type { UpstreamResponse } from "../transport.ts";
import { ChatStream } from "./chat_stream.ts";
import { redactSecrets } from "./clean_message.ts";
import { type CompletionIds, createCompletionIds } from "../completion_ids.ts";
import { type AnswerContext, convertAnswer } from "./convert_answer.ts";
import { convertRequest, outputLimitField } from "./convert_request.ts";
import {
  Endpoint,
  type EndpointOptions,
  errorText,
  isSuccess,
  parseBody,
  shortType,
} from "./endpoint.ts";
import { errorInBand, isErrorObject } from "./map_error.ts";
import { createVideoUpstream } from "./videos/video_upstream.ts";

/** What the provider needs besides its settings. */
export interface OpenAiCompatibleOptions extends EndpointOptions {
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
  readonly videos: VideoUpstream;
  readonly #endpoint: Endpoint;
  readonly #ids: CompletionIds;
  readonly #limitField: ReturnType<typeof outputLimitField>;

  constructor(settings: ProviderSettings, options: OpenAiCompatibleOptions) {
    this.id = settings.id;
    this.#endpoint = new Endpoint(settings, options);
    this.#ids = createCompletionIds(options.random);
    this.#limitField = outputLimitField(this.#endpoint.baseUrl);
    this.videos = createVideoUpstream(this.#endpoint, settings);
  }

  async chat(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer> {
    const response = await this.#send(call, { stream: false, signal });
    const body = await this.#endpoint.jsonOf(response);
    if (isErrorObject(body)) throw errorInBand(body, this.#endpoint.concealed);
    const answer = convertAnswer(body, this.#contextOf(call.route, call.body));
    if (answer === undefined) {
      throw new UpstreamError("broken", "The upstream's answer is no chat completion", {
        status: response.status,
      });
    }
    return answer;
  }

  async chatStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream> {
    const { clock, timeouts } = this.#endpoint;
    const sentAt = clock.monotonic();
    const response = await this.#send(call, { stream: true, signal });
    if (!isSuccess(response.status)) throw await this.#endpoint.errorOf(response);
    if (!/^text\/event-stream\b/i.test(response.header("content-type") ?? "")) {
      throw await this.#notAStream(response);
    }
    return new ChatStream(response, {
      clock,
      timeouts,
      sentAt,
      context: this.#contextOf(call.route, call.body),
      concealed: this.#endpoint.concealed,
    });
  }

  async check(signal: AbortSignal): Promise<ProviderCheck> {
    const { clock, keys } = this.#endpoint;
    const startedAt = clock.monotonic();
    const done = (
      detail: string,
      { ok = true, checked = false }: Partial<ProviderCheck> = {},
    ): ProviderCheck => ({
      ok,
      checked,
      detail,
      milliseconds: Math.round(clock.monotonic() - startedAt),
    });
    try {
      const response = await this.#endpoint.send({ method: "GET", path: "/models" }, signal);
      if (response.status === 404 || response.status === 405) {
        response.close();
        return done(
          `answers, but has no model list (${response.status} for GET /models): ` +
            "base_url and key were not checked",
        );
      }
      const body = await this.#endpoint.jsonOf(response);
      const models = Array.isArray(body.data) ? body.data : body.models;
      return Array.isArray(models)
        ? done(`${models.length} models`, { checked: true })
        : done("answers, but with no model list: base_url and key were not checked");
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { message, cause } = error;
      const why = cause instanceof Error && !message.includes(cause.message)
        ? `: ${cause.message}`
        : "";
      return done(redactSecrets(message + why, keys.secrets), { ok: false });
    }
  }

  #send(
    call: ProviderCall,
    { stream, signal }: { readonly stream: boolean; readonly signal: AbortSignal },
  ): Promise<UpstreamResponse> {
    const body = JSON.stringify(convertRequest(call, { stream, limitField: this.#limitField }));
    return this.#endpoint.send({
      method: "POST",
      path: "/chat/completions",
      body,
      accept: stream ? "text/event-stream" : "application/json",
      stream,
    }, signal);
  }

  /** A 200 that is no event stream: an error in JSON keeps its meaning, all else is broken. */
  async #notAStream(response: UpstreamResponse): Promise<UpstreamError> {
    const type = response.header("content-type") ?? "";
    if (/\bjson\b/i.test(type)) {
      try {
        const body = parseBody(await errorText(response));
        if (isErrorObject(body)) return errorInBand(body, this.#endpoint.concealed);
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

  #contextOf(route: Route, body: Readonly<JsonObject>): AnswerContext {
    const { n } = body;
    return {
      ids: this.#ids,
      upstreamModel: route.upstreamModel,
      nowSeconds: Math.floor(this.#endpoint.clock.now() / 1000),
      bounds: {
        contextTokens: route.supports.contextTokens,
        choices: typeof n === "number" && n > 1 ? n : 1,
      },
    };
  }
}
