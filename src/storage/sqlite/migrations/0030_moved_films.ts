/**
 * Where an operator has moved a queued film to among its project's. NULL: nobody has moved it, and it
 * comes by its call.
 *
 * @module
 */

/** SQL of schema version 30. */
export const movedFilms = `
ALTER TABLE video_tasks ADD COLUMN moved_to REAL;
`;
