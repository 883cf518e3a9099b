/**
 * Finds the calls that have more than most do, such as tags, by when they were closed: for reports
 * by tag, of which there are no sums. Most rows are not in the index.
 *
 * @module
 */

/** SQL of schema version 22. */
export const taggedCalls = `
CREATE INDEX calls_further ON calls (closed_at, call_id)
WHERE further IS NOT NULL AND closed_at IS NOT NULL;
`;
