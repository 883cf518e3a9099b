/**
 * The dialect's name, for what its parts leave behind in the neutral form.
 *
 * @module
 */

/** See the module's text. */
export const OPENAI_RESPONSES = "openai_responses";
