/**
 * A conversation compacted: by the upstream's own means where it has them, else by a summary that the
 * model of the route is asked for.
 *
 * @module
 */

import {
  keptItems,
  SUMMARY_BYTES,
  summaryRequest,
  textOfOutput,
} from "../../dialects/openai_responses/compaction.ts";
import { openaiResponses } from "../../dialects/openai_responses/dialect.ts";
import { summaryItem } from "../../dialects/openai_responses/summary_writer.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import { randomName } from "../../domain/ids.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { serve } from "../../providers/serve.ts";
import type { AnswerKind, CallRequest } from "../call_request.ts";
import type { ResponsePlan } from "./own_response.ts";

const serving = serve("openai_responses");
const ID_CHARACTERS = 24;

/** The call that a summary is asked for with: what it takes at worst decides about its hold. */
export function callForSummary({ call }: ResponsePlan): CallRequest {
  const { body, bodyBytes } = call;
  return { ...call, body: summaryRequest(body), bodyBytes: bodyBytes + SUMMARY_BYTES };
}

/** `POST /v1/responses/compact`. */
export function compaction(plan: ResponsePlan): AnswerKind {
  const { call: { body: asked }, conversation } = plan;
  return {
    dialect: openaiResponses,
    async invoke(provider, call, signal) {
      const { compacts } = provider;
      const own = compacts?.isOn(call.route) === true
        ? await compacts.ask({ ...call, body: asked }, signal)
        : undefined;
      const answer = own ?? summarised(await serving.answer(provider, call, signal), {
        conversation,
        seal: plan.sealSummary,
      });
      Object.assign(answer.body, { id: plan.id, object: "response.compaction" });
      return answer;
    },
  };
}

/** @throws {UpstreamError} `broken`, where nobody could go on from the answer. */
function summarised(
  { body, ...answer }: Answer,
  { conversation, seal }: {
    readonly conversation: readonly JsonObject[];
    readonly seal: ResponsePlan["sealSummary"];
  },
): Answer {
  const { created_at, output, status, usage } = body;
  const item = summaryItem(textOfOutput(output), {
    id: `cmp_${randomName(ID_CHARACTERS)}`,
    reason: status === "incomplete" ? "length" : "done",
    seal,
  });
  return {
    ...answer,
    body: {
      created_at,
      output: [...keptItems(conversation), item],
      ...(usage !== undefined && { usage }),
    },
  };
}
