/**
 * The Responses capability: what it brings to the engine, for one request.
 *
 * @module
 */

import { openaiResponses } from "../../dialects/openai_responses/dialect.ts";
import { serve } from "../../providers/serve.ts";
import type { AnswerKind, CallStream, StreamKind } from "../call_request.ts";
import { keptResponse, makeOwn, ownFields, type ResponsePlan } from "./own_response.ts";
import type { AnswerFacts } from "../../dialects/base/answer.ts";
import { ResponseWriter } from "../../dialects/openai_responses/stream_writer.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";

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

/** The stream of a response, which is kept when it ends. */
export class KeptStream extends ResponseWriter implements CallStream {
  readonly #plan: ResponsePlan;

  /** @param model The logical model, which replaces the upstream's. */
  constructor(plan: ResponsePlan, model: string) {
    super({ ...ownFields(plan), model });
    this.#plan = plan;
  }

  /** @throws {TypeError} When the provider left the last event out. */
  keep(facts: AnswerFacts): StoredResponse | undefined {
    const response = this.whole;
    if (!this.#plan.isStored) return undefined;
    return keptResponse(this.#plan, { ...response, ...facts }, response);
  }
}

const ITEM = /^input\[(\d{1,9})\]/;

/**
 * Runs `ask`; where it refuses an item of the conversation, the item is named as
 * the request counts it, or as part of what it goes on from.
 *
 * @throws {UpstreamError} Whatever `ask` throws.
 */
async function withOwnParam<Answer>(
  earlierItems: number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof UpstreamError ? renamed(error, earlierItems) : error;
  }
}

function renamed(error: UpstreamError, earlierItems: number): UpstreamError {
  const [found, digits] = ITEM.exec(error.param ?? "") ?? [];
  if (found === undefined || earlierItems === 0) return error;
  const index = Number(digits) - earlierItems;
  const param = index < 0
    ? "previous_response_id"
    : `input[${index}]${error.param!.slice(found.length)}`;
  const { failure, message, status, code, retryAfterSeconds, publicMessage } = error;
  return new UpstreamError(failure, message, {
    ...{ status, code, param, retryAfterSeconds, publicMessage },
    cause: error,
  });
}
