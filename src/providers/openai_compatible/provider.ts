/**
 * The provider of every upstream that speaks OpenAI's protocol. A vendor is
 * configuration only: base URL, authentication, headers, query, body rules.
 *
 * @module
 */

import type { Random } from "../../domain/clock.ts";
import type { ChatLimitField } from "../../domain/capabilities.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { KeyState, Provider, ProviderCall, ProviderCheck } from "../provider.ts";
import type { Answer, AnswerStream } from "../../dialects/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { VideoUpstream } from "../video_upstream.ts";
import { ResponseEvents } from "../responses_over_chat/response_events.ts";
import { toChatCall } from "../responses_over_chat/to_chat_call.ts";
import { toResponse, type ToResponseOptions } from "../responses_over_chat/to_response.ts";
import { ChatReader } from "./chat_reader.ts";
import { checkKeys } from "./check_keys.ts";
import { type CompletionIds, createCompletionIds } from "../completion_ids.ts";
import { type AnswerContext, convertAnswer } from "./convert_answer.ts";
import { convertRequest, outputLimitField } from "./convert_request.ts";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";
import { embed } from "./embed.ts";
import type { Credential } from "./key_ring.ts";
import { errorInBand, isErrorObject } from "./map_error.ts";
import { openEventStream } from "./open_event_stream.ts";
import { respond, respondStream } from "./responses/respond.ts";
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
  readonly #limitField: ChatLimitField;

  constructor(settings: ProviderSettings, options: OpenAiCompatibleOptions) {
    this.id = settings.id;
    this.#endpoint = new Endpoint(settings, options);
    this.#ids = createCompletionIds(options.random);
    this.#limitField = settings.outputLimitField ?? outputLimitField(this.#endpoint.baseUrl);
    this.videos = createVideoUpstream(this.#endpoint, settings);
  }

  async chat(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const sent = this.#bodyOf(call, { stream: false });
    return await this.#endpoint.withKeys((credential) =>
      this.#chatWith(credential, sent, { call, signal })
    );
  }

  async chatStream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    return await openEventStream(this.#endpoint, {
      path: "/chat/completions",
      body: this.#bodyOf(call, { stream: true }),
      reader: new ChatReader(this.#contextOf(call), this.#endpoint.concealed),
      room: call.room,
      signal,
    });
  }

  async respond(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    if (call.route.supports.responses === true) {
      return await respond(this.#endpoint, call, { ids: this.#ids, signal });
    }
    return toResponse(await this.chat(toChatCall(call), signal), call, this.#conversion);
  }

  async respondStream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    if (call.route.supports.responses === true) {
      return await respondStream(this.#endpoint, call, { ids: this.#ids, signal });
    }
    const chat = await this.chatStream(toChatCall(call), signal);
    return new ResponseEvents(chat, call, this.#conversion);
  }

  embed(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    return embed(this.#endpoint, call, signal);
  }

  check(signal: AbortSignal): Promise<ProviderCheck> {
    return checkKeys(this.#endpoint, signal);
  }

  keyStates(): readonly KeyState[] {
    return this.#endpoint.keys.states();
  }

  secretsChanged(): void {
    this.#endpoint.keys.lookUpAgain();
  }

  async #chatWith(
    credential: Credential,
    sent: string,
    { call, signal }: { readonly call: ProviderCall; readonly signal: AbortSignal },
  ): Promise<Answer> {
    const response = await this.#endpoint.send({
      method: "POST",
      path: "/chat/completions",
      body: sent,
      credential,
    }, signal);
    const body = await this.#endpoint.jsonOf(response, { room: call.room });
    if (isErrorObject(body)) throw errorInBand(body, this.#endpoint.concealed);
    const answer = convertAnswer(body, this.#contextOf(call));
    if (answer === undefined) {
      throw new UpstreamError("broken", "The upstream's answer is no chat completion", {
        status: response.status,
      });
    }
    return answer;
  }

  get #conversion(): ToResponseOptions {
    return { ids: this.#ids, clock: this.#endpoint.clock };
  }

  #bodyOf(call: ProviderCall, { stream }: { readonly stream: boolean }): string {
    return JSON.stringify(convertRequest(call, { stream, limitField: this.#limitField }));
  }

  #contextOf({ route, body }: ProviderCall): AnswerContext {
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
