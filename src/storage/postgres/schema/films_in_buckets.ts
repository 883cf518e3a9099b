/**
 * Where a film is in a bucket. NULL: it is in the data dir, or there is none.
 *
 * @module
 */

/** Statements, in their order. */
export const FILMS_IN_BUCKETS: readonly string[] = [
  `ALTER TABLE video_tasks ADD COLUMN file_key text COLLATE "C"
     CHECK (length(file_key) BETWEEN 1 AND 200)`,
];
