/**
 * Serves a request behind the operator's guard: looked at before, and its answer behind. Whatever
 * tells a caller what a model said, or a model what a caller says, goes through here.
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import { GatewayError } from "../../../errors.ts";
import { UNLIMITED_PERMIT } from "../../../limits/permit.ts";
import type { Stay } from "../../../limits/stay.ts";
import { countWhenRoom, placeWhenRoom } from "../../../planning/take_permit.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AppContext } from "../../context/request_context.ts";
import { requireRepeatable } from "../../idempotency/repeatable_post.ts";
import type { Guard, GuardedRequest } from "../../guard/guard.ts";
import { guardAnswer } from "../../guard/guard_answer.ts";

/** A request that has its place. */
export interface GuardedArrival {
  readonly context: AppContext;
  readonly caller: Caller;
  readonly stay: Stay;
  /** Without its prefix. */
  readonly path: string;
}

/** One for a model. */
export interface GuardedPost extends GuardedArrival {
  readonly model: string | undefined;
  /** Further ones that it may be served by; absent: none. */
  readonly furtherModels?: readonly string[] | null | undefined;
  readonly stream: boolean;
  readonly body: unknown;
}

type Deps = Pick<ApiDeps, "limiter" | "catalogue">;

/**
 * The answer to a request for a model. It counts in its caller's requests per minute whatever is said
 * of it: nobody has the guard asked for nothing.
 *
 * @param serve Answers it with the body to go on with.
 * @throws {GatewayError} `refused_by_guard`, `guard_unavailable`, `pool_limit_exceeded`, and what
 * `serve` throws.
 */
export async function serveGuarded(
  guard: Guard,
  { limiter, catalogue }: Deps,
  post: GuardedPost,
  serve: (body: unknown) => Promise<Response>,
): Promise<Response> {
  const { caller, stay, model, furtherModels, context: { env } } = post;
  requireRepeatable({ limiter, catalogue }, { caller, model, furtherModels });
  const asked = askedOf(post, post);
  let response: Response;
  try {
    response = await serve(await guard.lookAtRequest(asked, post.body));
  } catch (error) {
    // A call has counted itself, or told why it does not count.
    if (error instanceof GatewayError && !env.note.isCall) {
      await countWhenRoom(limiter, { caller, permit: stay.permit, tokens: 0 });
    }
    throw error;
  }
  return guard.looksAtAnswers ? await guardAnswer(guard, { asked, response }) : response;
}

/** An answer that was kept, as it may be delivered. */
export async function guardKept(
  { guard, limiter }: Pick<ApiDeps, "guard" | "limiter">,
  arrival: GuardedArrival,
  response: Response,
): Promise<Response> {
  if (guard?.looksAtAnswers !== true) return response;
  const asked = askedOf(arrival, {});
  return await guardAnswer(guard, {
    asked,
    response,
    onLook: () => countLook(limiter, arrival),
  });
}

/** What was counted because it is long has its place already. */
async function countLook(
  limiter: ApiDeps["limiter"],
  { caller, stay }: GuardedArrival,
): Promise<void> {
  if (stay.permit !== UNLIMITED_PERMIT) return;
  stay.enter(await placeWhenRoom(limiter, caller));
  await countWhenRoom(limiter, { caller, permit: stay.permit, tokens: 0 });
}

function askedOf(
  { context: { env, req }, caller, path, stay }: GuardedArrival,
  { model, stream = false }: { readonly model?: string | undefined; readonly stream?: boolean },
): GuardedRequest {
  return {
    requestId: env.identity.requestId,
    projectId: caller.project.id,
    keyId: caller.key.id,
    path,
    model,
    stream,
    signal: req.raw.signal,
    stay,
  };
}
