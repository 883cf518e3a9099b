/**
 * The headers that tell what a caller's limits leave, as the API's document tells them.
 *
 * @module
 */

const WORDS = { requests: "calls per minute", tokens: "tokens per minute" } as const;

/** On every answer to a model call whose project or key has the limit. */
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
