/**
 * What every request has, whoever answers it: its id and bindings, errors as answers, the headers that
 * all answers have, and its line in the log where it was no metered call.
 *
 * @module
 */

import { OPENAI } from "../dialects/openai/family.ts";
import { errorResponse, toGatewayError } from "./answers/text_response.ts";
import { rateLimitHeaders } from "./callers/rate_limit_headers.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { RequestBindings, RequestNote } from "./context/request_context.ts";
import { LeanResponse } from "./listener/lean_response.ts";

/** What it works with. */
export type FrameDeps = Pick<
  ApiDeps,
  "ids" | "clock" | "limiter" | "onRequest" | "clientAddress"
>;

/** What was asked, for the log. */
export interface AskedRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
}

export class RequestFrame {
  readonly #deps: FrameDeps;
  readonly #causes = new WeakMap<RequestBindings, unknown>();

  constructor(deps: FrameDeps) {
    this.#deps = deps;
  }

  /**
   * The bindings of a request that has arrived.
   *
   * @param forwardedFor Its header of that name, where there is one.
   */
  open(
    peer: string,
    forwardedFor: string | null,
    from: Pick<RequestBindings, "batchLine" | "inside"> = NOT_INSIDE,
  ): RequestBindings {
    const { ids, clock, clientAddress } = this.#deps;
    const remoteAddress = clientAddress === undefined ? peer : clientAddress(peer, forwardedFor);
    return {
      identity: ids.next(),
      arrivedAt: clock.monotonic(),
      remoteAddress,
      note: emptyNote(remoteAddress),
      family: OPENAI,
      limited: undefined,
      batchLine: from.batchLine,
      inside: from.inside,
    };
  }

  /** The answer that an error is. */
  refuse(error: unknown, env: RequestBindings): Response {
    const { requestId } = env.identity;
    const shown = toGatewayError(error, requestId);
    env.note.errorCode = shown.code;
    env.note.refusal = shown;
    if (shown.cause !== undefined) this.#causes.set(env, shown.cause);
    return errorResponse(shown, requestId, env.family);
  }

  /** The answer with its id and with what the caller's limits leave. */
  complete(response: Response, env: RequestBindings): Response {
    return this.#withRateLimits(withOwnId(response, env), env);
  }

  /** Tells the log of a request that was no call, or that a defect has ended. */
  tellOthers({ status }: Response, env: RequestBindings, asked: () => AskedRequest): void {
    if (!env.note.isCall || status === 500) this.tell({ status }, env, asked());
  }

  /** Tells the log of a request. */
  tell({ status }: Pick<Response, "status">, env: RequestBindings, asked: AskedRequest): void {
    const { identity: { requestId }, arrivedAt, note, remoteAddress } = env;
    const { onRequest, clock } = this.#deps;
    onRequest({
      requestId,
      ...asked,
      status,
      milliseconds: Math.round(clock.monotonic() - arrivedAt),
      address: remoteAddress,
      note,
      cause: this.#causes.get(env),
    });
  }

  /** The answer itself where its caller has no limits. */
  #withRateLimits(response: Response, { limited: caller, family }: RequestBindings): Response {
    if (caller === undefined) return response;
    const { limiter, clock } = this.#deps;
    const headers = rateLimitHeaders(limiter, { caller, family, now: clock.now() });
    return LeanResponse.withHeaders(response, headers);
  }
}

const NOT_INSIDE = { batchLine: undefined, inside: undefined };

/** Of a request of which nothing is known yet. */
export function emptyNote(address?: string): RequestNote {
  return {
    isCall: false,
    address,
    projectId: undefined,
    keyId: undefined,
    model: undefined,
    errorCode: undefined,
  };
}

/** The answer with its id as callers of its family know it, where that is not as everybody does. */
function withOwnId(
  response: Response,
  { family: { idHeader }, identity: { requestId } }: RequestBindings,
): Response {
  return idHeader === undefined
    ? response
    : LeanResponse.withHeaders(response, { [idHeader]: requestId });
}
