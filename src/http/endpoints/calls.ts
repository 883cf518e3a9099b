/**
 * `GET /v1/calls/{request_id}`: what a call of this project used and cost,
 * streams included.
 *
 * @module
 */

import { namedWork } from "../../domain/work.ts";
import type { ClosedCall, StoredCall } from "../../domain/call.ts";
import { billedVideo } from "../../domain/deleted_video_charge.ts";
import { formatAmount } from "../../domain/money.ts";
import { soldE8 } from "../../domain/spending.ts";
import { GatewayError } from "../../errors.ts";
import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { type CallView, callViewSchema } from "../schemas/call_view.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

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
