/**
 * Contents that a model of Google's generates.
 *
 * @module
 */

import { traitsOf } from "../../dialects/gemini/model_traits.ts";
import { searchesIn, withSearches } from "../../dialects/gemini/searches.ts";
import { readUsage, termsOf } from "../../dialects/gemini/usage.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../../dialects/base/answer.ts";
import type { CompletionIds } from "../../dialects/base/completion_ids.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { Route } from "../../domain/catalogue.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Conversation, ProviderCall } from "../contract/provider.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import type { Credential } from "../upstream/key_ring.ts";
import { collectStream, isEventStream } from "../upstream/collect_stream.ts";
import { openEventStream } from "../upstream/open_event_stream.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { convertRequest, type RequestDefaults } from "./convert_request.ts";
import { ResponseReader } from "./response_reader.ts";
import { SignatureBook } from "./signature_book.ts";
import { markOf, sign } from "./signing.ts";
import { type ResponseContext, takeResponse } from "./take_response.ts";
import { WholeResponse } from "./whole_response.ts";

/** What generating needs besides the upstream. */
export interface GenerateOptions extends RequestDefaults {
  readonly providerId: string;
  readonly ids: CompletionIds;
  /** Where a model is, behind the endpoint's address. */
  readonly pathOf: (model: string) => string;
  /** A request whose prompt is to be counted, as the upstream is asked for that. */
  readonly countBody: (body: JsonObject, model: string) => JsonObject;
  /** Whether calls go back with their ids; Vertex knows none. */
  readonly hasCallIds: boolean;
  /** Absent: on every route. */
  readonly isOn?: (route: Route) => boolean;
}

/** A signature that is of another key, another model, or was altered. */
const REFUSED_SIGNATURE = /thought.?signature/i;

export class Generate implements Conversation {
  readonly isOn?: (route: Route) => boolean;
  readonly #endpoint: Endpoint;
  readonly #options: GenerateOptions;
  readonly #book: SignatureBook;

  constructor(endpoint: Endpoint, options: GenerateOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#book = new SignatureBook(endpoint.clock);
    if (options.isOn !== undefined) this.isOn = options.isOn;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const path = `${this.#options.pathOf(call.route.upstreamModel)}:generateContent`;
    const body = convertRequest(call, this.#options);
    return await this.#signed(body, (bodyFor) =>
      this.#endpoint.withKeys(async (credential) => {
        const request = {
          method: "POST",
          path,
          body: bodyFor(call, credential),
          credential,
        } as const;
        const response = await this.#endpoint.send(request, signal);
        const context = this.#contextOf(call, credential);
        if (isEventStream(response)) return await this.#collect(response, call, context);
        const answer = await this.#endpoint.jsonOf(response, { room: call.room });
        return this.#takeAnswer(answer, call, context);
      }));
  }

  async stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    const path = `${this.#options.pathOf(call.route.upstreamModel)}:streamGenerateContent?alt=sse`;
    const body = convertRequest(call, this.#options);
    let context = this.#contextOf(call, undefined);
    const reader = new ResponseReader(() => context, call.route);
    return await this.#signed(body, (bodyFor) =>
      openEventStream(this.#endpoint, {
        path,
        body: (credential) => {
          context = this.#contextOf(call, credential);
          return bodyFor(call, credential);
        },
        reader,
        eventsOf: (whole) => eventsOfWhole(whole, reader),
        room: call.room,
        signal,
      }));
  }

  /** How many tokens the prompt of a call has, which costs nothing to ask. */
  async countTokens(call: ProviderCall, signal: AbortSignal): Promise<JsonObject> {
    const { pathOf, countBody } = this.#options;
    const { upstreamModel: model } = call.route;
    const body = convertRequest(call, this.#options);
    const { totalTokens } = await this.#endpoint.withKeys(async (credential) => {
      const asked = countBody(this.#sentBody(body, call, credential, false), model);
      const text = JSON.stringify(asked);
      const request = { method: "POST", path: `${pathOf(model)}:countTokens`, body: text } as const;
      const response = await this.#endpoint.send({ ...request, credential }, signal);
      return await this.#endpoint.jsonOf(response);
    });
    if (!Number.isSafeInteger(totalTokens) || (totalTokens as number) < 0) {
      throw new UpstreamError("broken", "The upstream's answer is no count", { status: 200 });
    }
    return { input_tokens: totalTokens };
  }

  async #collect(
    response: UpstreamResponse,
    call: ProviderCall,
    context: ResponseContext,
  ): Promise<Answer> {
    const whole = new WholeResponse();
    const { usageBody, ...told } = await collectStream(this.#endpoint, response, {
      reader: new ResponseReader(() => context, call.route),
      room: call.room,
      add: (chunk) => whole.add(chunk),
    });
    const body = whole.body;
    if (usageBody !== undefined) body.usageMetadata = usageBody;
    return { ...told, body };
  }

  #takeAnswer(body: JsonObject, call: ProviderCall, context: ResponseContext): Answer {
    const { supports, upstreamModel: model } = call.route;
    const searches = searchesIn(body, model);
    const { text, seal, hasOutput, isFinished } = takeResponse(body, context);
    if (!isFinished && !hasOutput) {
      throw new UpstreamError(
        "broken",
        "The upstream's answer has no candidate that says anything",
        {
          status: 200,
        },
      );
    }
    const reported = asObject(body.usageMetadata);
    const work = reported && readUsage(reported, supports.contextTokens);
    return {
      body,
      usage: work && withSearches(work, searches),
      terms: reported && termsOf(reported),
      seal,
      text: () => text,
    };
  }

  /** Asks, and once more where the upstream refuses its own signatures, without them. */
  async #signed<Result>(
    body: JsonObject,
    ask: (bodyFor: (call: ProviderCall, credential: Credential) => string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await ask((call, credential) =>
        JSON.stringify(this.#sentBody(body, call, credential, false))
      );
    } catch (error) {
      if (!(error instanceof UpstreamError) || !isSignatureRefused(error)) throw error;
      return await ask((call, credential) =>
        JSON.stringify(this.#sentBody(body, call, credential, true))
      );
    }
  }

  #sentBody(
    body: JsonObject,
    call: ProviderCall,
    credential: Credential,
    isSkipped: boolean,
  ): JsonObject {
    const { mark } = this.#contextOf(call, credential);
    const isNeeded = isSkipped ||
      traitsOf(call.route.upstreamModel, call.route.supports).signedCalls === true;
    const contents = sign(body.contents, { mark, isNeeded, book: this.#book }, isSkipped);
    const sent = this.#options.hasCallIds ? contents : withoutIds(contents);
    return { ...body, contents: sent };
  }

  #contextOf({ route }: ProviderCall, credential: Credential | undefined): ResponseContext {
    const { providerId, ids } = this.#options;
    return {
      ids,
      book: this.#book,
      mark: markOf({
        provider: providerId,
        key: credential?.reference,
        model: route.upstreamModel,
      }),
    };
  }
}

/** The events of a stream that is all in one: each of them is a response. */
function eventsOfWhole(
  whole: JsonObject,
  reader: ResponseReader,
): readonly AnswerEvent[] | undefined {
  if (!Array.isArray(whole.candidates) && !isObject(whole.promptFeedback)) return undefined;
  const events: AnswerEvent[] = [];
  reader.read(whole, "", events);
  reader.end("body", events);
  return events;
}

function isSignatureRefused({ status, publicMessage = "" }: UpstreamError): boolean {
  return status === 400 && REFUSED_SIGNATURE.test(publicMessage);
}

function withoutIds(contents: readonly unknown[]): readonly unknown[] {
  return contents.map((content) => {
    const { parts, ...rest } = asObject(content) ?? {};
    return { ...rest, parts: asArray(parts).map((part) => withoutId(asObject(part) ?? {})) };
  });
}

function withoutId(part: JsonObject): JsonObject {
  const field = part.functionCall === undefined ? "functionResponse" : "functionCall";
  const named = asObject(part[field]);
  if (named === undefined) return part;
  const { id: _id, ...rest } = named;
  return { ...part, [field]: rest };
}
