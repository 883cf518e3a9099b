/**
 * `GET /v1/calls/{request_id}`: what a call of this project used and cost, streams included.
 *
 * @module
 */

import * as z from "zod";
import { amountField, answerFields } from "../../dialects/base/answer.ts";
import { CAPABILITY_NAMES } from "../../domain/capabilities.ts";
import {
  billedVideo,
  type ClosedCall,
  DELETED_VIDEO_CHARGES,
  type StoredCall,
} from "../../domain/call.ts";
import { namedWork } from "../../domain/work.ts";
import { formatAmount } from "../../domain/money.ts";
import { soldE8 } from "../../domain/spending.ts";
import { GatewayError } from "../../errors.ts";
import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

const count = z.int().min(0);

/** One call; the later fields are there once it is closed. */
const callViewSchema = z.lazy(() =>
  z.object({
    id: z.string().describe("The x-request-id of the answer"),
    object: z.literal("call"),
    capability: z.enum(CAPABILITY_NAMES),
    model: z.string(),
    provider: z.string(),
    route: z.string(),
    stream: z.boolean(),
    tags: z.record(z.string(), z.string()).optional().describe("What the request was tagged with"),
    batch: z.string().optional().describe("Id of the batch that it is a line of"),
    placed: z.enum(["sticky"]).optional().describe(
      "Why its route came before others: its conversation's sealed thoughts are from there",
    ),
    sticky: z.object({
      route: z.string().describe("The route that the sealed thoughts are from"),
      seal: z.string().describe("The end of the seal that says so"),
    }).optional().describe("Of a conversation that gives sealed thoughts back"),
    created_at: z.int().describe("Unix time in seconds"),
    state: z.enum(["open", "settled", "released"]),
    held_amount: amountField.optional(),
    result: z.enum([
      "completed",
      "client_aborted",
      "upstream_failed",
      "refused",
      "gateway_stopped",
    ]).optional(),
    error_code: z.string().nullable().optional(),
    attempts: count.optional(),
    milliseconds: count.optional(),
    first_byte_milliseconds: count.nullable().optional(),
    usage_source: z.enum(["reported", "estimated", "none"]).optional(),
    usage: z.object({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }),
      completion_tokens_details: z.object({ reasoning_tokens: count }),
    }).optional(),
    work: z.record(z.string(), count).optional().describe(
      "All that was bought besides a film, by unit: no token is counted twice",
    ),
    video: z.object({
      size: z.string(),
      seconds: count,
      percent: z.int().min(1).max(99).optional()
        .describe("How much was charged of a film that was deleted while it was made"),
      deleted: z.enum(DELETED_VIDEO_CHARGES).optional()
        .describe(
          "What was charged of a film that was deleted before it was there: by the " +
            "progress that it had made, in full, or nothing",
        ),
    }).optional().describe("Videos only"),
    pricing: answerFields.pricing.extend({
      charged_amount: amountField.describe("What the project paid; 0 for an unlimited project"),
    }).optional(),
  })
);

export type CallView = z.infer<typeof callViewSchema>;

/** Another project's call answers as one that never existed. */
export const retrieveCall = jsonEndpoint({
  path: "/calls/{request_id}",
  id: "retrieveCall",
  summary: "What a call of this project used and cost, streams included",
  answer: callViewSchema,
  errors: [404],
  tell: (deps) => async ({ context: { req }, caller }) => {
    const requestId = req.param("request_id")!;
    const callId = deps.ids.callIdOf(requestId);
    const call = callId === undefined ? undefined : await deps.calls.find(callId);
    if (call?.requestId !== requestId || call.projectId !== caller.project.id) {
      throw new GatewayError("not_found", await notFoundText(deps), { param: "request_id" });
    }
    return callView(call, deps.catalogue.current.catalogue.currency);
  },
});

/**
 * The same of every id, whoever asks: an archived call's project is known to its archive alone,
 * and nobody learns from an answer whose call it was.
 */
async function notFoundText({ checkpoints }: Pick<ApiDeps, "checkpoints">): Promise<string> {
  const text =
    "There is no call with this request id: it is the x-request-id of an answer (what was refused before a first attempt has none)";
  const last = (await checkpoints.list()).at(-1);
  if (last === undefined) return text;
  const date = new Date(last.beforeMs).toISOString().slice(0, 10);
  return `${text}. Calls that ended before ${date} are archived: whoever runs this gateway can look them up`;
}

/** A stored call as callers and operators see it. */
function callView(call: StoredCall, currency: string): CallView {
  const video = billedVideo(call);
  return {
    id: call.requestId,
    object: "call",
    capability: call.capability,
    model: call.model,
    provider: call.provider,
    route: call.route,
    stream: call.stream,
    ...(video !== undefined && { video }),
    ...(call.tags !== undefined && { tags: call.tags }),
    ...(call.batchId !== undefined && { batch: call.batchId }),
    ...(call.sticky !== undefined && { sticky: call.sticky }),
    ...(call.sticky?.route === call.route && { placed: "sticky" as const }),
    created_at: Math.floor(call.openedAt / 1000),
    ...(call.state === "open"
      ? { state: call.state, held_amount: formatAmount(call.heldE8) }
      : closedView(call, currency)),
  };
}

function closedView(call: ClosedCall, currency: string) {
  return {
    state: call.state,
    result: call.result,
    error_code: call.errorCode ?? null,
    attempts: call.attempts,
    milliseconds: call.closedAt - call.openedAt,
    first_byte_milliseconds: call.firstByteMs ?? null,
    usage_source: call.usageSource,
    usage: usageBody(call.work) as CallView["usage"],
    work: namedWork(call.work),
    pricing: {
      currency,
      cost_amount: formatAmount(call.costE8),
      sale_amount: formatAmount(soldE8(call)),
      charged_amount: formatAmount(call.chargedE8),
    },
  };
}
