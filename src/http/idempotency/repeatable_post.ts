/**
 * `POST`s that are safe to repeat: with an `Idempotency-Key`, the same request again
 * gets the same answer. Without one nothing is remembered.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { StreamAnswer } from "../../gateway/call_engine.ts";
import type { LongTexts } from "../../files/long_texts.ts";
import type { KeyedRequest, RepeatableAnswer } from "../../idempotency/repeated_requests.ts";
import { isLong, textInPieces } from "../../idempotency/text_parts.ts";
import type { TextParts } from "../../domain/text_parts.ts";
import type { Stay } from "../../limits/stay.ts";
import { modelNamed } from "../../planning/model_names.ts";
import { findModel, requireUse } from "../../planning/plan_call.ts";
import { usable } from "../../planning/plan_calls.ts";
import { countWhenRoom, requireRate } from "../../planning/take_permit.ts";
import type { CallDeps } from "../context/api_deps.ts";
import { eventStreamResponse, jsonTextResponse, stayingParts } from "../answers/text_response.ts";
import type { AppContext } from "../context/request_context.ts";
import { GatewayError } from "../../errors.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

/** A request that may carry a key. */
export interface RepeatablePost {
  /** `Idempotency-Key`, checked. */
  readonly key: string | undefined;
  readonly caller: Caller;
  readonly stay: Stay;
  /** What the caller calls it; `undefined` where none is named. */
  readonly model: string | undefined;
  /** Further ones that it may be served by; absent: none. */
  readonly furtherModels?: readonly string[] | null | undefined;
  /** Without its prefix: both prefixes are one path. */
  readonly path: string;
  /** Of the parsed body; asked for only with a key. */
  readonly fingerprint: () => string;
}

/** What changes about a call because its request may be repeated. */
export interface Once {
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Makes what is stored together with the result; `undefined` without a key. */
  readonly remember: ((text: string) => IdempotencyRecord) | undefined;
  /** Where long texts of the answer may go, as nobody keeps it; absent: nowhere. */
  readonly longTexts?: LongTexts | undefined;
}

type Deps = Pick<CallDeps, "repeatedRequests" | "catalogue" | "limiter">;

/**
 * Answers with the JSON text that `make` gives, or that an equal request got.
 *
 * @param make What it gives is what it has passed to `remember`.
 * @throws {GatewayError}
 */
export async function answerOnce(
  deps: Deps,
  context: AppContext,
  { post, make, headers, longTexts }: {
    readonly post: RepeatablePost;
    readonly make: (once: Once) => Promise<string>;
    readonly headers?: Readonly<Record<string, string>>;
    /** Where those of an answer may go that nobody keeps; absent: nowhere. */
    readonly longTexts?: LongTexts | undefined;
  },
): Promise<Response> {
  const { env: { identity: { requestId } }, req: { raw: { signal } } } = context;
  const { key, stay } = post;
  if (key === undefined) {
    const body = await make({ signal, remember: undefined, longTexts });
    const spelled = longTexts?.spell(body) ?? body;
    const content = typeof spelled === "string"
      ? inParts(spelled, stay)
      : stayingParts(spelled, stay);
    return jsonTextResponse(content, requestId, { headers });
  }
  requireRepeatable(deps, post);
  const answer = await deps.repeatedRequests.answer(
    keyed(context, post, key),
    (lead) => make({ signal: lead.signal, remember: lead.toRecord }),
  );
  return jsonTextResponse(await bodyOf(deps, post, answer), requestId, {
    status: answer.status,
    headers: { ...headers, ...repeatHeaders(answer) },
  });
}

/** Makes the response that a stream is. `extra` headers come after its own. */
export type StreamResponder = (
  stream: StreamAnswer,
  requestId: string,
  extra?: Readonly<Record<string, string>>,
) => Response | Promise<Response>;

/**
 * Answers with the stream that `open` gives, or that an equal request got.
 *
 * @throws {GatewayError}
 */
export async function streamOnce(
  deps: Deps,
  context: AppContext,
  { post, open, respond = eventStreamResponse, longTexts }: {
    readonly post: RepeatablePost;
    readonly open: (once: Once) => Promise<StreamAnswer>;
    readonly respond?: StreamResponder | undefined;
    /** As for an answer in one piece. */
    readonly longTexts?: LongTexts | undefined;
  },
): Promise<Response> {
  const { env: { identity: { requestId } }, req: { raw: { signal } } } = context;
  const { key } = post;
  if (key === undefined) {
    const answer = await open({ signal, remember: undefined, longTexts });
    if (longTexts === undefined) return await respond(answer, requestId);
    const body = stayingParts(longTexts.spellParts(answer.body), post.stay);
    return await respond({ ...answer, body }, requestId);
  }
  requireRepeatable(deps, post);
  const answer = await deps.repeatedRequests.stream(
    keyed(context, post, key),
    (lead) => open({ signal: lead.signal, remember: lead.toRecord }),
  );
  const body = await bodyOf(deps, post, answer);
  return await respond({ ...answer, body }, requestId, repeatHeaders(answer));
}

/**
 * Refuses what would be refused as a first request too, before a stored answer is read: a key may
 * have lost its model since.
 *
 * @throws {GatewayError} `model_not_allowed` or `pool_limit_exceeded`.
 */
export function requireRepeatable(
  { catalogue, limiter }: Pick<Deps, "catalogue" | "limiter">,
  { caller, model: asked, furtherModels }: Pick<
    RepeatablePost,
    "caller" | "model" | "furtherModels"
  >,
): void {
  if (furtherModels === null || furtherModels === undefined) {
    const model = asked === undefined ? undefined : modelNamed(catalogue.current, asked)?.model;
    if (model !== undefined) requireUse(model, caller);
  } else {
    namesLeftOut({ catalogue }, { caller, model: asked, furtherModels });
  }
  requireRate(limiter, caller);
}

/**
 * Names of a request that none of its caller's models has: they are left out while another is left, so
 * that an answer to the same words of somebody with more models is no answer to this request.
 *
 * @throws {GatewayError} The first one's refusal, where none is left.
 */
export function namesLeftOut(
  { catalogue }: Pick<Deps, "catalogue">,
  { caller, model, furtherModels }: Pick<RepeatablePost, "caller" | "model" | "furtherModels">,
): readonly string[] {
  if (furtherModels === null || furtherModels === undefined) return [];
  const names = model === undefined ? furtherModels : [model, ...furtherModels];
  const ask = (name: string) => findModel(catalogue.current, { model: name, caller });
  return usable(names, ask).leftOut.map(({ name }) => name);
}

/**
 * The body of an answer. One that is given again counts as a request, although it is no call, and
 * its request stays until it is sent.
 *
 * @throws {GatewayError} `pool_limit_exceeded`
 */
export async function bodyOf<Body extends string | TextParts>(
  { limiter }: Deps,
  { caller, stay }: RepeatablePost,
  { isRepeated, body }: { readonly isRepeated: boolean; readonly body: Body },
): Promise<Body | TextParts> {
  if (!isRepeated) return inParts(body, stay);
  try {
    await countWhenRoom(limiter, { caller, permit: stay.permit, tokens: 0 });
  } catch (error) {
    if (typeof body !== "string") await body.cancel();
    throw error;
  }
  return typeof body === "string" ? body : stayingParts(body, stay);
}

/** A long text in parts, between which others have their turns, counted until all of it is sent. */
export function inParts<Body extends string | TextParts>(body: Body, stay: Stay): Body | TextParts {
  if (typeof body !== "string" || !isLong(body.length)) return body;
  return stayingParts(textInPieces(body), stay);
}

function keyed(
  { env: { identity: { requestId } }, req: { raw: { signal: client } } }: AppContext,
  { caller, path, fingerprint }: RepeatablePost,
  key: string,
): KeyedRequest {
  return {
    scope: { projectId: caller.project.id, path, key },
    fingerprint: fingerprint(),
    requestId,
    client,
  };
}

/** A repeated answer has a request id of its own, and says whose answer it is. */
function repeatHeaders(
  { isRepeated, requestId }: Pick<RepeatableAnswer, "isRepeated" | "requestId">,
): Readonly<Record<string, string>> {
  if (!isRepeated) return {};
  return { "idempotent-replayed": "true", "x-tollgate-first-request-id": requestId };
}

/** The header's name. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** What a key looks like. */
export const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key`; `undefined` without one.
 *
 * @throws {GatewayError} `invalid_value` when it is empty, long or not printable.
 */
export function idempotencyKey(request: Request): string | undefined {
  const key = IncomingRequest.header(request, "idempotency-key");
  if (key === null) return undefined;
  if (KEY_PATTERN.test(key)) return key;
  throw new GatewayError(
    "invalid_value",
    "Invalid value for 'Idempotency-Key': expected 1 to 255 printable ASCII characters",
    { param: "Idempotency-Key" },
  );
}
