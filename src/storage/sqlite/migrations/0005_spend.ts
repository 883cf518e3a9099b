/**
 * What projects and keys have spent of their budgets, and who is paused.
 *
 * @module
 */

/** SQL of schema version 5. */
export const spend = `
`;
