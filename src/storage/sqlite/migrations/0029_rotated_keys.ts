/**
 * What a key was before it was rotated, which works on for a while: JSON of its hash, its first
 * characters and when it ends.
 *
 * @module
 */

/** SQL of schema version 29. */
export const rotatedKeys = `
ALTER TABLE keys ADD COLUMN earlier TEXT CHECK (json_valid(earlier));
`;
