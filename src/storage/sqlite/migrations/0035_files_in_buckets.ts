/**
 * Where an uploaded file is in a bucket. NULL: it is in the data dir.
 *
 * @module
 */

/** SQL of schema version 35. */
export const filesInBuckets = `
ALTER TABLE uploaded_files ADD COLUMN object_key TEXT CHECK (length(object_key) BETWEEN 1 AND 200);
`;
