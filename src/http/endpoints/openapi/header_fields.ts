/**
 * The headers of answers, as the API's document tells them.
 *
 * @module
 */

import type { AnswerHeaders } from "../shape/endpoint.ts";

/** Of every answer. */
export const REQUEST_ID_FIELD = { "x-request-id": { schema: { type: "string" } } };

/** Of every answer to a request that may be repeated. */
export const REPEATED_FIELDS = textFields({
  "idempotent-replayed": {
    description: "'true' on an answer that an earlier request with this Idempotency-Key got",
  },
  "x-tollgate-first-request-id": { description: "With it: the id of that request" },
});

const WORDS = { requests: "calls per minute", tokens: "tokens per minute" } as const;

/** Of every answer to a model call whose project or key has the limit. */
export const RATE_LIMIT_FIELDS: { readonly [name: string]: unknown } = Object.fromEntries(
  (["requests", "tokens"] as const).flatMap((what) => [
    [`x-ratelimit-limit-${what}`, {
      description: `The limit of ${WORDS[what]} that leaves least, of the project and the key`,
      schema: { type: "integer" },
    }],
    [`x-ratelimit-remaining-${what}`, {
      description: "What is left of it",
      schema: { type: "integer" },
    }],
    [`x-ratelimit-reset-${what}`, {
      description: "In what time it is whole again, such as 20ms, 59.4s or 1m0s",
      schema: { type: "string" },
    }],
  ]),
);

/** Headers that an endpoint tells of itself. */
export function textFields(headers: AnswerHeaders): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description }]) => [
      name,
      { description, schema: { type: "string" } },
    ]),
  );
}
