/**
 * Names that the parts of this dialect share.
 *
 * @module
 */

/** The dialect's. */
export const GEMINI = "gemini";
