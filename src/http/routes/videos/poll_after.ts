/**
 * How often a task is to be asked for.
 *
 * @module
 */

/** Read by OpenAI's Python SDK; section 8 of the service specification recommends 2 to 3 s. */
export const POLL_AFTER: Readonly<Record<string, string>> = Object.freeze({
  "openai-poll-after-ms": "2500",
});
