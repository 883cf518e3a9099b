/**
 * How often a task is to be asked for.
 *
 * @module
 */

import type { AnswerHeaders } from "../shape/endpoint.ts";

/** Read by OpenAI's Python SDK; section 8 of the service specification recommends 2 to 3 s. */
export const POLL_AFTER: AnswerHeaders = {
  "openai-poll-after-ms": {
    description: "After how many milliseconds to ask again",
    value: "2500",
  },
};
