/**
 * Answers that a project's equal requests get again, without a call: where the project has a time for
 * it, and the request does not ask for an answer of its own (`Cache-Control`).
 *
 * @module
 */

import type { Capability } from "../../domain/capabilities.ts";
import { DEFAULT_CACHE_BYTES } from "../../domain/account.ts";
import type { Tags } from "../../domain/tags.ts";
import { GatewayError } from "../../errors.ts";
import type { StreamAnswer } from "../../gateway/call_engine.ts";
import { freeOfCharge, partsFreeOfCharge } from "../../idempotency/free_of_charge.ts";
import type { CacheTerms, KeyedRequest } from "../../idempotency/repeated_requests.ts";
import { modelNamed } from "../../planning/model_names.ts";
import type { TextParts } from "../../domain/text_parts.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { eventStreamResponse, jsonTextResponse } from "../answers/text_response.ts";
import type { CallDeps } from "../context/api_deps.ts";
import type { AppContext } from "../context/request_context.ts";
import {
  bodyOf,
  inParts,
  namesLeftOut,
  type Once,
  type RepeatablePost,
  requireRepeatable,
} from "./repeatable_post.ts";
import { tagsOf } from "../callers/tags.ts";

/** Says whether an answer was there already. */
const CACHE_HEADER = "x-tollgate-cache";

/** A request whose answer may be given to others. */
export interface CachedPost extends Omit<RepeatablePost, "key"> {
  readonly capability: Capability;
  readonly terms: CacheTerms;
  readonly tags: Tags | null | undefined;
}

/** How a request may be answered by another's answer; `undefined` where it may not. */
export function cacheTerms(
  request: Request,
  { quotas: { cacheSeconds, cacheBytes = DEFAULT_CACHE_BYTES } }: {
    readonly quotas: { readonly cacheSeconds?: number; readonly cacheBytes?: number };
  },
): CacheTerms | undefined {
  if (cacheSeconds === undefined) return undefined;
  const control = IncomingRequest.header(request, "cache-control")?.toLowerCase() ?? "";
  if (/\bno-store\b/.test(control)) return undefined;
  return {
    seconds: cacheSeconds,
    mostBytes: cacheBytes,
    isFresh: /\bno-cache\b|\bmax-age *= *0\b/.test(control),
  };
}

type Deps = Pick<CallDeps, "repeatedRequests" | "catalogue" | "limiter" | "engine">;

/** Answers with the JSON text that `make` gives, or that an equal request got. */
export async function answerFromCache(
  deps: Deps,
  context: AppContext,
  { post, make, headers }: {
    readonly post: CachedPost;
    readonly make: (once: Once) => Promise<string>;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const { env: { identity: { requestId } } } = context;
  requireRepeatable(deps, post);
  const answer = await orElse(
    () =>
      deps.repeatedRequests.answer(
        keyed(context, post),
        (lead) => make({ signal: lead.signal, remember: lead.toRecord }),
      ),
    async () => ({ status: 200, isRepeated: false, requestId, body: await make(alone(context)) }),
  );
  if (!answer.isRepeated) {
    return jsonTextResponse(inParts(answer.body, post.stay), requestId, {
      headers: { ...headers, [CACHE_HEADER]: "miss" },
    });
  }
  const body = await bodyOf(deps, { ...post, key: undefined }, {
    isRepeated: true,
    body: typeof answer.body === "string"
      ? freeOfCharge(answer.body)
      : partsFreeOfCharge(answer.body),
  });
  await record(deps, context, post, { stream: false, body });
  return jsonTextResponse(body, requestId, { headers: { ...headers, ...hit(answer) } });
}

/** Answers with the stream that `open` gives, or that an equal request got. */
export async function streamFromCache(
  deps: Deps,
  context: AppContext,
  { post, open }: {
    readonly post: CachedPost;
    readonly open: (once: Once) => Promise<StreamAnswer>;
  },
): Promise<Response> {
  const { env: { identity: { requestId } } } = context;
  requireRepeatable(deps, post);
  const answer = await orElse(
    () =>
      deps.repeatedRequests.stream(
        keyed(context, post),
        (lead) => open({ signal: lead.signal, remember: lead.toRecord }),
      ),
    async () => ({ isRepeated: false, requestId, ...await open(alone(context)) }),
  );
  if (!answer.isRepeated) {
    return eventStreamResponse(answer, requestId, { [CACHE_HEADER]: "miss" });
  }
  const body = await bodyOf(deps, { ...post, key: undefined }, {
    isRepeated: true,
    body: partsFreeOfCharge(answer.body),
  }) as TextParts;
  await record(deps, context, post, { stream: true, body });
  return eventStreamResponse({ ...answer, body }, requestId, hit(answer));
}

function hit({ requestId }: { readonly requestId: string }): Readonly<Record<string, string>> {
  return { [CACHE_HEADER]: "hit", "x-tollgate-first-request-id": requestId };
}

/** What is not kept is made: unlike a key, nobody has promised that it is paid for once. */
async function orElse<Answer>(
  ask: () => Promise<Answer>,
  make: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const isUnkept = error instanceof GatewayError && error.error === "idempotent_answer_not_kept";
    if (!isUnkept) throw error;
    return await make();
  }
}

function alone({ req: { raw: { signal } } }: AppContext): Once {
  return { signal, remember: undefined };
}

/** No caller's own key has a space. */
function keyed(
  { env: { identity: { requestId } }, req: { raw: { signal: client } } }: AppContext,
  { caller, path, fingerprint, terms }: CachedPost,
): KeyedRequest {
  const print = fingerprint();
  return {
    scope: { projectId: caller.project.id, path, key: print },
    fingerprint: print,
    requestId,
    client,
    cache: terms,
  };
}

/** Writes the call down, for which nobody waits. Where it may not be, its answer is let go. */
async function record(
  deps: Deps,
  { env, req: { raw } }: AppContext,
  { caller, capability, model, furtherModels, tags }: CachedPost,
  { stream, body }: { readonly stream: boolean; readonly body: string | TextParts },
): Promise<void> {
  const leftOut = namesLeftOut(deps, { caller, model, furtherModels });
  const asked = [model, ...furtherModels ?? []].find((name) =>
    name !== undefined && !leftOut.includes(name)
  );
  const named = asked === undefined ? undefined : modelNamed(deps.catalogue.current, asked);
  if (named === undefined) return;
  try {
    const { identity, arrivedAt } = env;
    const recorded = deps.engine.recordCached({
      ...{ identity, caller, capability, stream, arrivedAt, address: env.remoteAddress },
      model: named.model,
      tags: tagsOf(raw, tags, env.inside),
    });
    env.note.isCall = true;
    // The ledger tells of what it cannot write.
    recorded.catch((error) => {
      if (!(error instanceof GatewayError)) reportError(error);
    });
  } catch (error) {
    if (typeof body !== "string") await body.cancel();
    throw error;
  }
}
