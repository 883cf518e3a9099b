/**
 * The Responses capability: what it brings to the engine, for one request.
 *
 * @module
 */

import { openaiResponses } from "../../dialects/openai_responses/dialect.ts";
import { serve } from "../../providers/serve.ts";
import type { AnswerKind, StreamKind } from "../call_request.ts";
import { KeptStream } from "./kept_stream.ts";
import { keptResponse, makeOwn } from "./own_response.ts";
import { withOwnParam } from "./own_param.ts";
import type { ResponsePlan } from "./response_plan.ts";

const serving = serve("openai_responses");

/** `POST /v1/responses` whose answer comes in one piece. */
export function responseAnswer(plan: ResponsePlan): AnswerKind {
  return {
    dialect: openaiResponses,
    async invoke(provider, call, signal) {
      const answer = await withOwnParam(
        plan.earlierItems,
        () => serving.answer(provider, call, signal),
      );
      makeOwn(answer.body, plan);
      return answer;
    },
    ...(plan.isStored && { keep: (body) => ({ response: keptResponse(plan, body) }) }),
  };
}

/** `POST /v1/responses` with `stream: true`. */
export function responseStream(plan: ResponsePlan): StreamKind {
  return {
    dialect: openaiResponses,
    invoke: (provider, call, signal) =>
      withOwnParam(plan.earlierItems, () => serving.stream(provider, call, signal)),
    writer: (_request, model) => new KeptStream(plan, model),
  };
}
