/**
 * A call as operators see it, and a request that was refused before it became one.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import {
  billedVideo,
  type Decision,
  DELETED_VIDEO_CHARGES,
  type StoredCall,
} from "../domain/call.ts";
import { formatAmount } from "../domain/money.ts";
import type { RefusedRequest } from "../domain/refused_request.ts";
import { completionTokens, namedWork, promptTokens } from "../domain/work.ts";
import type { ChangeOrigin } from "./base/deps.ts";
import { shownAmount, shownCount, shownTime, timeToJson } from "./base/fields.ts";

/** A call as shown; what is not known while it is open is null. */
export const shownCall = z.object({
  request_id: z.string(),
  project: z.string().nullable().describe("null of a request whose key is not known"),
  key: z.string().nullable().describe("Its id; null of a request whose key is not known"),
  capability: z.string(),
  model: z.string().nullable().describe("null of a request that was refused before it named one"),
  provider: z.string().nullable().describe("null of a refused request"),
  route: z.string().nullable().describe("null of a refused request"),
  stream: z.boolean(),
  tags: z.record(z.string(), z.string()).optional().describe("What its caller calls it by"),
  batch: z.string().optional().describe("Id of the batch that it is a line of"),
  sticky: z.object({ route: z.string(), seal: z.string() }).optional().describe(
    "The route that the conversation's sealed thoughts are from, and the end of the seal that says so; " +
      "the call's own route where it could stay",
  ),
  decision: z.object({
    preference: z.string().nullable().describe("The routing_preference that the caller named"),
    ranked: z.array(z.object({
      route: z.string(),
      place: z.string().describe("Why it stood there"),
    })).describe("Routes that could serve, in the order in which they were to be tried"),
    left_out: z.array(z.object({
      route: z.string(),
      reason: z.string().describe("As in error.routes and routes explain"),
      detail: z.string().optional().describe(
        "Of a route that an operator had switched off: since when and why. Members are not told",
      ),
    })),
  }).optional().describe(
    "How its first route was chosen, or why none was; absent: every route could serve it, and the " +
      "first one of the usual order did, or it was refused before routes were asked",
  ),
  state: z.enum(["open", "settled", "released", "refused"]).describe(
    "refused: before it became a call, so that no upstream heard of it and nothing was held",
  ),
  result: z.string().nullable(),
  error_code: z.string().nullable(),
  refusal: z.object({
    why: z.string().nullable().describe(
      "What decided, such as project_requests_per_minute or cooling_down; null: the error code says all",
    ),
    status: z.number().describe("The HTTP status of the answer"),
    param: z.string().nullable().describe("The field at fault"),
    message: z.string().nullable().describe(
      "What the caller was told; null where that may repeat something of the request",
    ),
  }).optional().describe("Of a refused request"),
  opened_at: shownTime,
  closed_at: shownTime.nullable(),
  first_byte_ms: z.number().nullable(),
  milliseconds: shownCount.nullable().optional().describe(
    "From its hold to its end; servers of earlier versions leave it out",
  ),
  attempts: shownCount.nullable(),
  failed_attempts: z.array(z.object({
    route: z.string(),
    failure: z.string(),
    status: z.number().nullable().describe("The upstream's; null when there was no answer"),
    milliseconds: shownCount,
    message: z.string().describe("The upstream's words, without what they quote of the request"),
  })).optional().describe("The attempts that failed, in their order, at most 12; absent: none"),
  usage: z.object({
    prompt_tokens: shownCount,
    completion_tokens: shownCount,
    cached_tokens: shownCount,
    cache_write_tokens: shownCount,
    reasoning_tokens: shownCount,
    images: shownCount,
    work: z.record(z.string(), shownCount).optional().describe(
      "All that was bought besides a film, by unit: no token is counted twice; servers of earlier " +
        "versions leave it out",
    ),
    source: z.string(),
  }).nullable(),
  video: z.object({
    size: z.string(),
    seconds: z.number(),
    percent: z.number().optional().describe("How much was made of one that was given up"),
    deleted: z.enum(DELETED_VIDEO_CHARGES).optional(),
  }).nullable().describe("The film that the call bought"),
  price_version: shownCount.nullable().describe("null of a refused request"),
  currency: z.string(),
  held: shownAmount,
  cost: shownAmount.nullable(),
  sale: shownAmount.nullable(),
  charged: shownAmount.nullable(),
  loss: shownAmount.nullable(),
  archive: z.string().nullable().describe(
    "The archive that it was read from, to viewers and members its name alone; null for a call that the database has",
  ),
});

export type CallAnswer = Shown<typeof shownCall>;

/** In what calls are shown, and to whom. */
export interface CallView {
  readonly currency: string;
  readonly origin: Pick<ChangeOrigin, "rights">;
}

/** A call as it is shown. */
export function callAnswer(call: StoredCall, viewed: CallView): CallAnswer {
  const closed = call.state === "open" ? undefined : call;
  return {
    request_id: call.requestId,
    project: call.projectId,
    key: call.keyId,
    capability: call.capability,
    model: call.model,
    provider: call.provider,
    route: call.route,
    stream: call.stream,
    ...(call.tags !== undefined && { tags: call.tags }),
    ...(call.batchId !== undefined && { batch: call.batchId }),
    ...(call.sticky !== undefined && { sticky: call.sticky }),
    ...(call.decision !== undefined && { decision: shownDecision(call.decision, viewed) }),
    state: call.state,
    result: closed?.result ?? null,
    error_code: closed?.errorCode ?? null,
    opened_at: timeToJson(call.openedAt),
    closed_at: timeToJson(closed?.closedAt),
    first_byte_ms: closed?.firstByteMs ?? null,
    milliseconds: closed === undefined ? null : Math.max(0, closed.closedAt - closed.openedAt),
    attempts: closed?.attempts ?? null,
    ...(closed?.failedAttempts !== undefined && {
      failed_attempts: closed.failedAttempts.map(({ ms, status, ...attempt }) => ({
        ...attempt,
        status: status ?? null,
        milliseconds: ms,
      })),
    }),
    usage: closed === undefined ? null : {
      prompt_tokens: promptTokens(closed.work),
      completion_tokens: completionTokens(closed.work),
      cached_tokens: closed.work.cachedInput ?? 0,
      cache_write_tokens: closed.work.cacheWrite ?? 0,
      reasoning_tokens: closed.work.reasoning ?? 0,
      images: closed.work.image ?? 0,
      work: namedWork(closed.work),
      source: closed.usageSource,
    },
    video: billedVideo(call) ?? null,
    price_version: call.priceVersion,
    currency: viewed.currency,
    held: formatAmount(call.heldE8),
    cost: amount(closed?.costE8),
    sale: amount(closed?.saleE8),
    charged: amount(closed?.chargedE8),
    loss: amount(closed?.lossE8),
    archive: null,
  };
}

function amount(amountE8: bigint | undefined): string | null {
  return amountE8 === undefined ? null : formatAmount(amountE8);
}

function shownDecision(
  { preference, ranked, leftOut }: Decision,
  { origin: { rights } }: CallView,
): CallAnswer["decision"] {
  const isTold = rights.role !== "member";
  return {
    preference: preference ?? null,
    ranked: ranked.map(([route, place]) => ({ route, place })),
    left_out: leftOut.map(([route, reason, detail]) => ({
      ...{ route, reason },
      ...(isTold && detail !== undefined && { detail }),
    })),
  };
}

/** A refused request, in the shape of calls. */
export function refusedAnswer(request: RefusedRequest, viewed: CallView): CallAnswer {
  const { status, leftOut } = request;
  return {
    request_id: request.requestId,
    project: orNull(request.projectId),
    key: orNull(request.keyId),
    capability: request.capability,
    model: orNull(request.model),
    provider: null,
    route: null,
    stream: false,
    ...(leftOut !== undefined && { decision: shownDecision({ ranked: [], leftOut }, viewed) }),
    state: "refused",
    result: "refused",
    error_code: request.reason,
    refusal: {
      why: orNull(request.why),
      status,
      param: orNull(request.param),
      message: orNull(request.message),
    },
    opened_at: timeToJson(request.at),
    closed_at: timeToJson(request.at),
    first_byte_ms: null,
    milliseconds: null,
    attempts: 0,
    usage: null,
    video: null,
    price_version: null,
    currency: viewed.currency,
    held: formatAmount(0n),
    cost: null,
    sale: null,
    charged: null,
    loss: null,
    archive: null,
  };
}

function orNull(text: string): string | null {
  return text === "" ? null : text;
}
