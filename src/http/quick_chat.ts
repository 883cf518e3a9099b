/**
 * The quick way for chat completions, which most calls are: from the connection's buffer to the upstream
 * and back by callbacks. It takes a request where all of this holds; every other goes the general way,
 * which also refuses what is to be refused:
 *
 * - it is a POST of JSON to a path of chat completions that came in one piece, and its connection goes on
 *   after it (the listener sees to that);
 * - it has a key of ours as bearer, whose project keeps no prompts and has no cache, and no header that
 *   changes how it is served (`Idempotency-Key`, `Content-Encoding`, tags);
 * - its fields are right, and name no further models;
 * - nobody looks at every call: no guard, no traces;
 * - it is admitted, and a connection to the upstream of its first route is idle.
 *
 * Validation, limits, planning, money, retries, errors and streams are the general way's functions. A call
 * that does not go on as usual is handed to the general way where it is.
 *
 * @module
 */

import { openaiChat } from "../dialects/openai_chat/dialect.ts";
import { withFirstModel } from "../dialects/base/routing_fields.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { TextParts } from "../domain/text_parts.ts";
import { GatewayError } from "../errors.ts";
import type { StreamAnswer } from "../gateway/call_engine.ts";
import type { QuickKind } from "../gateway/quick_engines.ts";
import type { CallRequest } from "../gateway/call_request.ts";
import type { QuickCall } from "../gateway/quick_call.ts";
import type { QuickCaller } from "../gateway/quick_caller.ts";
import { isLong } from "../idempotency/text_parts.ts";
import type { Stay } from "../limits/stay.ts";
import { awaitTurn } from "../limits/await_turn.ts";
import { serve } from "../providers/serve.ts";
import { eventStreamResponse, jsonTextResponse } from "./answers/text_response.ts";
import { giveUpWhenOver, isJsonType, parseJson } from "./bodies/read_json.ts";
import { arrive, keyIn } from "./callers/authenticate.ts";
import { hasRateLimits } from "./callers/rate_limit_headers.ts";
import { tagsIn } from "./callers/tags.ts";
import type { ApiDeps, CallDeps } from "./context/api_deps.ts";
import type { RequestBindings } from "./context/request_context.ts";
import { jsonBody } from "./endpoints/shape/body_kind.ts";
import { pathsOf } from "./endpoints/shape/endpoint.ts";
import { askedOf } from "./endpoints/shape/model_endpoint.ts";
import { inParts } from "./idempotency/repeatable_post.ts";
import type {
  QuickAnswer,
  QuickClient,
  QuickHandler,
  QuickRequest as ArrivedRequest,
} from "./listener/contract.ts";
import type { RequestHead } from "./listener/request_head.ts";
import { type FrameDeps, RequestFrame } from "./request_frame.ts";

/** What it works with. */
export interface QuickChatDeps extends CallDeps {
  readonly onArrival?: ApiDeps["onArrival"];
  /** Whether calls with a key are served here; absent: all are. */
  readonly serves?: (key: string) => boolean;
}

const KEY_PLACE = openaiChat.family.keyPlaces[0]!;
/** By themselves: what a head says is a part of its text, which is then kept for as long as the call. */
const PATHS: ReadonlyMap<string, string> = new Map(
  pathsOf(openaiChat.words).map((path) => [path, path]),
);
const { check } = jsonBody(openaiChat.request, withFirstModel);
const { answer, stream } = serve("openai_chat");
const WHOLE: QuickKind = { dialect: openaiChat, answer: { invoke: answer } };
const STREAMED: QuickKind = {
  dialect: openaiChat,
  stream: { invoke: stream, writer: ({ body }, model) => openaiChat.writer!(body, model) },
};

/** Makes it; `undefined` where somebody looks at every call. */
export function createQuickChat(deps: QuickChatDeps & FrameDeps): QuickHandler | undefined {
  if (deps.guard !== undefined || deps.onArrival !== undefined) return undefined;
  const frame = new RequestFrame(deps);
  return (request, client) => takeChat(deps, frame, { request, client });
}

function takeChat(
  deps: QuickChatDeps,
  frame: RequestFrame,
  { request, client }: { readonly request: ArrivedRequest; readonly client: QuickClient },
): QuickAnswer | undefined {
  const { head, body: bytes, peer } = request;
  const path = PATHS.get(head.path);
  if (path === undefined) return undefined;
  const fields = usualFields(head);
  const key = fields && keyIn(fields.authorization, KEY_PLACE);
  if (key === undefined || deps.serves?.(key) === false) return undefined;
  if (deps.configuration?.isCurrent === false) return undefined;
  const resolution = deps.directory.resolve(key, deps.clock.now());
  if (resolution.kind !== "caller") return undefined;
  const { caller } = resolution;
  const { promptDays, cacheSeconds } = caller.project.quotas;
  if (promptDays !== undefined || cacheSeconds !== undefined) return undefined;
  if (bytes.length > deps.jsonLimits.maxBytes || bytes.length >= MOST_BYTES) return undefined;
  let stay: Stay | undefined;
  try {
    // Before anything is counted: what is wrong with it the general way says.
    const own = bytes.slice();
    const value = parseJson(own, deps.jsonLimits.maxDepth) as JsonObject;
    const asked = check(value);
    if ((asked.models ?? asked.usage ?? undefined) !== undefined) return undefined;
    stay = arrive(deps, caller);
    giveUpWhenOver(own, stay);
    if (awaitTurn(stay, bytes.length) !== undefined) return leave(stay);
    stay.reserve(bytes.length);
    const env = frame.open(peer, fields!.forwardedFor);
    env.note.projectId = caller.project.id;
    env.note.keyId = caller.key.id;
    env.note.model = asked.model;
    if (hasRateLimits(caller)) env.limited = caller;
    const tags = tagsIn(null, asked.tags);
    const call = askedOf({ env, caller, stay, fields: asked, bytes: bytes.length, tags }, value);
    const told = new ToldChat(frame, { client, env, stay, path });
    return told.ask(deps, call, asked.stream === true) ?? leave(stay);
  } catch (error) {
    leave(stay);
    if (!(error instanceof GatewayError)) throw error;
    return undefined;
  }
}

/** Bodies that are read in turns are no usual ones. */
const MOST_BYTES = 64 * 1024;

/** Gives back what a request has taken that goes the general way. */
function leave(stay: Stay | undefined): undefined {
  stay?.leave();
  return undefined;
}

interface UsualFields {
  readonly authorization: string;
  readonly forwardedFor: string | null;
}

/** Those headers that matter; `undefined` where there are others that do, or one of them twice. */
function usualFields({ headers }: RequestHead): UsualFields | undefined {
  let authorization: string | undefined;
  let type: string | undefined;
  let forwardedFor: string | null = null;
  for (let index = 0; index < headers.length; index++) {
    const [name, value] = headers[index]!;
    switch (name.length) {
      case 12:
        if (name.toLowerCase() !== "content-type") break;
        if (type !== undefined) return undefined;
        type = value;
        break;
      case 13:
        if (name.toLowerCase() !== "authorization") break;
        if (authorization !== undefined) return undefined;
        authorization = value;
        break;
      case 15:
        switch (name.toLowerCase()) {
          case "idempotency-key":
          case "x-tollgate-tags":
            return undefined;
          case "x-forwarded-for":
            forwardedFor = forwardedFor === null ? value : `${forwardedFor}, ${value}`;
        }
        break;
      case 16:
        if (name.toLowerCase() === "content-encoding") return undefined;
    }
  }
  const isUsual = authorization !== undefined && type !== undefined && isJsonType(type);
  return isUsual ? { authorization: authorization!, forwardedFor } : undefined;
}

/**
 * The request of a call whose caller's leaving is told by callbacks. A class, as an object with a getter
 * of its own has a shape of its own, which the engine keeps with all that the getter has in sight until
 * it looks at its whole memory.
 */
class QuickRequest implements CallRequest {
  readonly identity: CallRequest["identity"];
  readonly caller: CallRequest["caller"];
  readonly stay: CallRequest["stay"];
  readonly note: CallRequest["note"];
  readonly model: string;
  readonly wishes: CallRequest["wishes"];
  readonly tellsCost: CallRequest["tellsCost"];
  readonly tags: CallRequest["tags"];
  readonly body: CallRequest["body"];
  readonly bodyBytes: number;
  readonly arrivedAt: number;
  readonly #told: ToldChat;

  constructor(asked: ReturnType<typeof askedOf>, told: ToldChat) {
    this.identity = asked.identity;
    this.caller = asked.caller;
    this.stay = asked.stay;
    this.note = asked.note;
    this.model = asked.model;
    this.wishes = asked.wishes;
    this.tellsCost = asked.tellsCost;
    this.tags = asked.tags;
    this.body = asked.body;
    this.bodyBytes = asked.bodyBytes;
    this.arrivedAt = asked.arrivedAt;
    this.#told = told;
  }

  get signal(): AbortSignal {
    return this.#told.signal;
  }
}

/** One answer on its way: what the engine gives, as the listener takes it. */
class ToldChat implements QuickCaller, QuickAnswer {
  readonly #frame: RequestFrame;
  readonly #client: QuickClient;
  readonly #env: RequestBindings;
  readonly #stay: Stay;
  readonly #path: string;
  #call: QuickCall | undefined;
  #gone: Error | undefined;
  #controller: AbortController | undefined;
  /** The answer that is ready in case that the call is settled. */
  #prepared: { readonly text: string; readonly response: Response } | undefined;

  constructor(
    frame: RequestFrame,
    { client, env, stay, path }: {
      readonly client: QuickClient;
      readonly env: RequestBindings;
      readonly stay: Stay;
      readonly path: string;
    },
  ) {
    this.#frame = frame;
    this.#client = client;
    this.#env = env;
    this.#stay = stay;
    this.#path = path;
  }

  /** Has the engine begin; `undefined` where it does not. */
  ask(
    { engine }: Pick<CallDeps, "engine">,
    asked: ReturnType<typeof askedOf>,
    isStream: boolean,
  ): this | undefined {
    const request = new QuickRequest(asked, this);
    this.#call = engine.begin(request, isStream ? STREAMED : WHOLE, this);
    return this.#call === undefined ? undefined : this;
  }

  /** Made where somebody asks for it, which is where the call goes the general way. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#gone !== undefined) this.#controller.abort(this.#gone);
    }
    return this.#controller.signal;
  }

  prepare(text: string): void {
    if (isLong(text.length)) return;
    const response = this.#wholeResponse(text);
    this.#prepared = { text, response };
    this.#client.prepare(response);
  }

  answer(text: string): void {
    const { requestId } = this.#env.identity;
    if (isLong(text.length)) {
      const response = jsonTextResponse(inParts(text, this.#stay), requestId);
      this.#stay.leave();
      this.#client.respond(Promise.resolve(this.#frame.complete(response, this.#env)));
      return;
    }
    this.#stay.leave();
    const prepared = this.#prepared;
    const response = prepared?.text === text ? prepared.response : this.#wholeResponse(text);
    this.#client.answer(response);
  }

  #wholeResponse(text: string): Response {
    const { requestId } = this.#env.identity;
    return this.#frame.complete(jsonTextResponse(text, requestId), this.#env);
  }

  begin(provider: string, route: string): void {
    this.#stay.leave();
    const { requestId } = this.#env.identity;
    const response = eventStreamResponse({ provider, route, body: NO_PARTS }, requestId);
    this.#client.begin(this.#frame.complete(response, this.#env));
  }

  part(text: string, isLast: boolean): void {
    this.#client.part(text, isLast);
  }

  handOverParts(rest: TextParts): void {
    this.#client.respondParts(rest);
  }

  handOver(rest: Promise<unknown>): void {
    this.#client.respond(this.#respond(rest as Promise<string | StreamAnswer>));
  }

  async #respond(rest: Promise<string | StreamAnswer>): Promise<Response> {
    const env = this.#env;
    const { requestId } = env.identity;
    let response: Response;
    try {
      const answer = await rest;
      response = typeof answer === "string"
        ? jsonTextResponse(inParts(answer, this.#stay), requestId)
        : eventStreamResponse(answer, requestId);
    } catch (error) {
      response = this.#frame.refuse(error, env);
    } finally {
      this.#stay.leave();
    }
    response = this.#frame.complete(response, env);
    this.#frame.tellOthers(response, env, () => ({ method: "POST", path: this.#path }));
    return response;
  }

  sent(): void {
    this.#call!.sent();
  }

  left(reason: Error): void {
    this.#gone = reason;
    this.#controller?.abort(reason);
    this.#call!.left();
  }
}

/** The parts of such a stream are given one by one. */
const NO_PARTS: TextParts = {
  next: () => Promise.resolve(undefined),
  cancel: () => Promise.resolve(),
};
