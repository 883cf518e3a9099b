/**
 * Where a film is in a bucket. NULL: it is in the data dir, or there is none.
 *
 * @module
 */

/** SQL of schema version 34. */
export const filmsInBuckets = `
ALTER TABLE video_tasks ADD COLUMN file_key TEXT CHECK (length(file_key) BETWEEN 1 AND 200);
`;
