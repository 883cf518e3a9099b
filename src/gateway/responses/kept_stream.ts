/**
 * The stream of a response, which is kept when it ends.
 *
 * @module
 */

import type { AnswerFacts } from "../../dialects/base/answer_facts.ts";
import { ResponseWriter } from "../../dialects/openai_responses/stream_writer.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { CallStream } from "../call_request.ts";
import { keptResponse, ownFields } from "./own_response.ts";
import type { ResponsePlan } from "./response_plan.ts";

/** See the module's text. */
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
