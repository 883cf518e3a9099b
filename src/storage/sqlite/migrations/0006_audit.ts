/**
 * The append-only record of administrative changes.
 *
 * @module
 */

/** SQL of schema version 6. */
export const audit = `
`;
