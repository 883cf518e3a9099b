/**
 * Chat completions at an upstream that speaks OpenAI's protocol.
 *
 * @module
 */

import type { ChatLimitField } from "../../../dialects/openai_chat/schemas.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import type { BegunListener, Conversation, ProviderCall } from "../../contract/provider.ts";
import { BegunChat } from "./begun_chat.ts";
import { type AnswerContext, convertAnswer } from "./convert_answer.ts";
import { convertRequest } from "./convert_request.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import type { Credential } from "../../upstream/key_ring.ts";
import { collectStream, isEventStream } from "../../upstream/collect_stream.ts";
import { openEventStream, SERVER_SENT_EVENTS } from "../../upstream/open_event_stream.ts";
import type { BegunAsk } from "../../upstream/begun_ask.ts";
import { writeJson, type WrittenJson } from "../../../domain/json_source.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { ChunkCopier } from "./chunk_copier.ts";
import { ChunkRepairer } from "./chunk_repairer.ts";
import { chunkOfWhole, WholeChat } from "./whole_chat.ts";
import type { UpstreamResponse } from "../../transport/contract.ts";
import type { EventReader } from "../../upstream/event_feed.ts";

/** How long `[DONE]` is waited for once everything is finished and counted: some never send it. */
const REST_MS = 10_000;

/** Reads chat chunks. */
class ChatReader implements EventReader {
  readonly endMark = "[DONE]";
  /** Usage may follow the last finish reason: only `[DONE]` or the body's end is the end. */
  readonly isOver = false;
  readonly #repairer: ChunkRepairer;
  readonly #copier = new ChunkCopier();

  constructor(context: AnswerContext) {
    this.#repairer = new ChunkRepairer(context);
  }

  get restMs(): number | undefined {
    return this.#repairer.isCounted ? REST_MS : undefined;
  }

  read(value: JsonObject, _name: string, events: AnswerEvent[]): void {
    this.#repairer.add(value, events);
  }

  copy(data: string, name: string, events: AnswerEvent[]): boolean {
    const event = name === "" ? this.#copier.copy(data) : undefined;
    if (event === undefined) return false;
    events.push(event);
    return true;
  }

  learn(data: string, name: string, made: AnswerEvent | undefined): void {
    this.#copier.learn(data, name === "" ? made : undefined, (chunk) => {
      const again: AnswerEvent[] = [];
      this.#repairer.add(chunk, again);
      return again.length === 1 ? again[0] : undefined;
    });
  }

  end(by: "mark" | "body", events: AnswerEvent[]): void {
    if (!this.#repairer.hasBegun) {
      throw new UpstreamError("broken", "The upstream sent an empty stream");
    }
    if (by === "body" && !this.#repairer.isComplete) {
      throw new UpstreamError("broken", "The upstream cut its stream before a finish reason");
    }
    this.#repairer.finish(events);
  }

  cutShort(events: AnswerEvent[]): void {
    this.#repairer.finish(events, "length");
  }
}

/** What chat needs besides the upstream. */
export interface ChatOptions {
  readonly ids: CompletionIds;
  /** The name under which the upstream knows the output limit. */
  readonly limitField: ChatLimitField;
}

const PATH = "/chat/completions";

export class Chat implements Conversation {
  readonly #endpoint: Endpoint;
  readonly #options: ChatOptions;

  constructor(endpoint: Endpoint, options: ChatOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const sent = this.#bodyOf(call, { stream: false });
    return await this.#endpoint.withKeys(
      (credential, begun) => this.#answerWith(credential, sent, { call, signal, begun }),
      call.begun as BegunChat | undefined,
    );
  }

  mayBegin(): boolean {
    return this.#endpoint.mayBegin(PATH);
  }

  begin(
    call: ProviderCall,
    { stream, listener }: { readonly stream: boolean; readonly listener: BegunListener },
  ): BegunChat | undefined {
    const credential = this.#endpoint.keys.next();
    const chat = new BegunChat({
      endpoint: this.#endpoint,
      credential,
      room: call.room,
      listener,
      toAnswer: (text, status) => this.#answerOf(this.#endpoint.readJson(text), status, call),
      reader: stream ? new ChatReader(this.#contextOf(call)) : undefined,
    });
    const exchange = this.#endpoint.begin({
      method: "POST",
      path: PATH,
      body: this.#bodyOf(call, { stream }),
      credential,
      ...(stream && { accept: SERVER_SENT_EVENTS.accept, stream }),
    }, chat);
    if (exchange === undefined) return undefined;
    chat.begin(exchange);
    return chat;
  }

  async stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    const reader = new ChatReader(this.#contextOf(call));
    return await openEventStream(this.#endpoint, {
      begun: call.begun as BegunChat | undefined,
      path: PATH,
      body: this.#bodyOf(call, { stream: true }),
      reader,
      eventsOf: (whole) => eventsOfWhole(whole, reader),
      room: call.room,
      signal,
    });
  }

  async #answerWith(
    credential: Credential,
    body: WrittenJson,
    { call, signal, begun }: {
      readonly call: ProviderCall;
      readonly signal: AbortSignal;
      readonly begun: BegunAsk | undefined;
    },
  ): Promise<Answer> {
    const request = { method: "POST", path: PATH, body, credential } as const;
    const response = await (begun?.response(signal) ?? this.#endpoint.send(request, signal));
    if (isEventStream(response)) return await this.#collect(response, call);
    const chat = await this.#endpoint.jsonOf(response, { room: call.room });
    return this.#answerOf(chat, response.status, call);
  }

  /** @throws {UpstreamError} `broken` when it is none. */
  #answerOf(chat: JsonObject, status: number, call: ProviderCall): Answer {
    const answer = convertAnswer(chat, this.#contextOf(call));
    if (answer !== undefined) return answer;
    throw new UpstreamError("broken", "The upstream's answer is no chat completion", { status });
  }

  async #collect(response: UpstreamResponse, call: ProviderCall): Promise<Answer> {
    const context = this.#contextOf(call);
    const whole = new WholeChat();
    const { usageBody, ...told } = await collectStream(this.#endpoint, response, {
      reader: new ChatReader(context),
      room: call.room,
      add: (chunk) => whole.add(chunk),
    });
    const { body } = convertAnswer(whole.body, context)!;
    if (usageBody === undefined) delete body.usage;
    else body.usage = usageBody;
    return { ...told, body };
  }

  #bodyOf(call: ProviderCall, { stream }: { readonly stream: boolean }): WrittenJson {
    return writeJson(convertRequest(call, { stream, limitField: this.#options.limitField }));
  }

  #contextOf({ route, body }: ProviderCall): AnswerContext {
    const { n } = body;
    return {
      ids: this.#options.ids,
      upstreamModel: route.upstreamModel,
      nowSeconds: Math.floor(this.#endpoint.clock.now() / 1000),
      bounds: {
        contextTokens: route.supports.contextTokens,
        choices: typeof n === "number" && n > 1 ? n : 1,
      },
    };
  }
}

/** The events that an answer in one piece would have had; `undefined` of what is none. */
function eventsOfWhole(whole: JsonObject, reader: ChatReader): readonly AnswerEvent[] | undefined {
  const chunk = chunkOfWhole(whole);
  if (chunk === undefined) return undefined;
  const events: AnswerEvent[] = [];
  reader.read(chunk, "", events);
  reader.end("mark", events);
  return events;
}
