/**
 * What a repeated call needs to be answered again, streams included.
 *
 * @module
 */

/** SQL of schema version 4. */
export const repeatedCalls = `
`;
