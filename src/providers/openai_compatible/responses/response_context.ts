/**
 * What a native answer is read and completed with.
 *
 * @module
 */

import type { Clock } from "../../../domain/clock.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import type { UsageBounds } from "../../../dialects/openai/normalise_usage.ts";
import type { AnswerRoom } from "../../../dialects/base/answer.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import type { Concealed } from "../../upstream/clean_message.ts";

/** One call, as far as its answer depends on it. */
export interface ResponseContext {
  readonly ids: CompletionIds;
  readonly clock: Clock;
  readonly upstreamModel: string;
  readonly bounds: UsageBounds;
  /** The caller's body: what it says of the answer, the answer says back. */
  readonly request: Readonly<JsonObject>;
  readonly concealed: Concealed;
  /** Where is counted what is kept of a stream. */
  readonly room?: AnswerRoom | undefined;
}
