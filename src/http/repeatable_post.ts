/**
 * `POST`s that are safe to repeat: with an `Idempotency-Key`, the same request again
 * gets the same answer. Without one nothing is remembered.
 *
 * @module
 */

import type { IdempotencyRecord } from "../domain/idempotency.ts";
import type { StreamAnswer } from "../gateway/call_engine.ts";
import type { KeyedRequest, RepeatableAnswer } from "../idempotency/repeated_requests.ts";
import type { ApiDeps } from "./api_deps.ts";
import { eventStreamResponse } from "./event_stream_response.ts";
import { jsonTextResponse } from "./json_response.ts";
import type { AppContext } from "./request_context.ts";

/** A request that may carry a key. */
export interface RepeatablePost {
  /** `Idempotency-Key`, checked. */
  readonly key: string | undefined;
  readonly projectId: string;
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
}

type Deps = Pick<ApiDeps, "repeatedRequests">;

/**
 * Answers with the JSON text that `make` gives, or that an equal request got.
 *
 * @param make What it gives is what it has passed to `remember`.
 * @throws {GatewayError}
 */
export async function answerOnce(
  { repeatedRequests }: Deps,
  context: AppContext,
  { post, make, headers }: {
    readonly post: RepeatablePost;
    readonly make: (once: Once) => Promise<string>;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const { env: { identity: { requestId } }, req: { raw: { signal } } } = context;
  const { key } = post;
  if (key === undefined) {
    const body = await make({ signal, remember: undefined });
    return jsonTextResponse(body, requestId, { headers });
  }
  const { status, body, ...answer } = await repeatedRequests.answer(
    keyed(context, post, key),
    (lead) => make({ signal: lead.signal, remember: lead.toRecord }),
  );
  return jsonTextResponse(body, requestId, {
    status,
    headers: { ...headers, ...repeatHeaders(answer) },
  });
}

/**
 * Answers with the stream that `open` gives, or that an equal request got.
 *
 * @throws {GatewayError}
 */
export async function streamOnce(
  { repeatedRequests }: Deps,
  context: AppContext,
  { post, open }: {
    readonly post: RepeatablePost;
    readonly open: (once: Once) => Promise<StreamAnswer>;
  },
): Promise<Response> {
  const { env: { identity: { requestId } }, req: { raw: { signal } } } = context;
  const { key } = post;
  if (key === undefined) {
    return eventStreamResponse(await open({ signal, remember: undefined }), requestId);
  }
  const answer = await repeatedRequests.stream(
    keyed(context, post, key),
    (lead) => open({ signal: lead.signal, remember: lead.toRecord }),
  );
  return eventStreamResponse(answer, requestId, repeatHeaders(answer));
}

function keyed(
  { env: { identity: { requestId } }, req: { raw: { signal: client } } }: AppContext,
  { projectId, path, fingerprint }: RepeatablePost,
  key: string,
): KeyedRequest {
  return { scope: { projectId, path, key }, fingerprint: fingerprint(), requestId, client };
}

/** A repeated answer has a request id of its own, and says whose answer it is. */
function repeatHeaders(
  { isRepeated, requestId }: Pick<RepeatableAnswer, "isRepeated" | "requestId">,
): Readonly<Record<string, string>> {
  if (!isRepeated) return {};
  return { "idempotent-replayed": "true", "x-tollgate-first-request-id": requestId };
}
