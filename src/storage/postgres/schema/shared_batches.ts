/**
 * Whose work a batch is, and where a file is in a bucket.
 *
 * @module
 */

/**
 * Statements, in their order. A batch without a session was made by a program that did not note it, or
 * came with a database that was moved. A file without a key is in the data dir of whoever took it.
 */
export const SHARED_BATCHES: readonly string[] = [
  "ALTER TABLE batches ADD COLUMN session_id bigint",
  `ALTER TABLE uploaded_files ADD COLUMN object_key text COLLATE "C"
     CHECK (length(object_key) BETWEEN 1 AND 200)`,
];
