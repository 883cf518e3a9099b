/**
 * What models and routes may be called.
 *
 * @module
 */

import * as z from "zod";

/** Identifier of a model or route: a path of words, such as `openai/gpt-5-mini` or `llama3:8b`. */
export const longId = z.string().max(200).regex(
  /^[A-Za-z0-9][A-Za-z0-9._:@+-]*(\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*$/,
  "Expected words of letters, digits and . _ : @ + - joined by '/', such as openai/gpt-5-mini",
);

/** The same, or such words and `*` at their end, which stands for the rest of a name. */
export const wideId = z.string().max(200).regex(
  /^(?:[A-Za-z0-9][A-Za-z0-9._:@+-]*(\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*(\/\*)?)$/,
  "Expected words of letters, digits and . _ : @ + - joined by '/', such as openai/gpt-5-mini; " +
    "/* at the end stands for any further words",
);
