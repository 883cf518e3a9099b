/**
 * Why no route served a request that was refused for that. NULL: it was refused for something else, or
 * by an earlier version.
 *
 * @module
 */

/** SQL of schema version 33. */
export const refusedRoutes = `
ALTER TABLE refused_requests ADD COLUMN left_out TEXT
  CHECK (json_valid(left_out) AND json_type(left_out) = 'array');
`;
