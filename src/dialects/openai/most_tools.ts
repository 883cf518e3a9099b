/**
 * How many tools a request may offer.
 *
 * @module
 */

/** OpenAI takes 128. */
export const MOST_TOOLS = 1_000;
