/**
 * The headers of answers, as the API's document tells them.
 *
 * @module
 */

import type { Family } from "../../../dialects/base/dialect.ts";
import type { ErrorRow } from "../../../errors.ts";
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
export function rateLimitFields({ rateLimits }: Family): { readonly [name: string]: unknown } {
  const [short, long, longer] = [20, 59_400, 60_000].map((time) => rateLimits.writeReset(time));
  return Object.fromEntries((["requests", "tokens"] as const).flatMap((what) => [
    [rateLimits[what].limit, {
      description: `The limit of ${WORDS[what]} that leaves least, of the project and the key`,
      schema: { type: "integer" },
    }],
    [rateLimits[what].remaining, {
      description: "What is left of it",
      schema: { type: "integer" },
    }],
    [rateLimits[what].reset, {
      description: `In what time it is whole again, such as ${short}, ${long} or ${longer}`,
      schema: { type: "string" },
    }],
  ]));
}

/** Of errors of a status, as the one table has them. */
export function errorFields(rows: readonly ErrorRow[]): { readonly [name: string]: unknown } {
  return textFields({
    ...(rows.some(({ retryAfter }) => retryAfter === true) && {
      "retry-after": { description: "After how many seconds to try again" },
    }),
    ...(rows.some(({ neverRetry }) => neverRetry === true) && {
      "x-should-retry": { description: "'false' where no repeat can succeed" },
    }),
  });
}

/** Headers that an endpoint tells of itself. */
export function textFields(headers: AnswerHeaders): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description }]) => [
      name,
      { description, schema: { type: "string" } },
    ]),
  );
}
