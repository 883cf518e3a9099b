/**
 * Why an operator has switched a route off, and since when. NULL: nobody has, or an earlier version did.
 *
 * @module
 */

/** SQL of schema version 32. */
export const switchReasons = `
ALTER TABLE routes ADD COLUMN switched_off TEXT
  CHECK (json_valid(switched_off) AND json_type(switched_off) = 'object');
`;
