/**
 * The Responses capability: what it brings to the engine, for one request.
 *
 * @module
 */

import { responseUsageBody } from "../../providers/response_usage.ts";
import { serve } from "../../providers/serve.ts";
import type { AnswerKind, CallKind, StreamKind } from "../call_request.ts";
import { keptResponse, makeOwn } from "./own_response.ts";
import { withOwnParam } from "./own_param.ts";
import { ResponseDialect } from "./response_dialect.ts";
import { responseFacts, responsePromptTokens } from "./response_facts.ts";
import type { ResponsePlan } from "./response_plan.ts";

const serving = serve("openai_responses");

/** `POST /v1/responses` whose answer comes in one piece. */
export function responseAnswer(plan: ResponsePlan): AnswerKind {
  return {
    ...responseCall({ stream: false }),
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
    ...responseCall({ stream: true }),
    invoke: (provider, call, signal) =>
      withOwnParam(plan.earlierItems, () => serving.stream(provider, call, signal)),
    dialect: (_request, model) => new ResponseDialect(plan, model),
  };
}

function responseCall({ stream }: { readonly stream: boolean }): CallKind {
  return {
    capability: "responses",
    facts: ({ body, bodyBytes }) => responseFacts(body, { bytes: bodyBytes, stream }),
    promptTokens: responsePromptTokens,
    usageView: (usage) => responseUsageBody(usage),
  };
}
