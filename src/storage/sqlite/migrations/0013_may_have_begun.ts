/**
 * Which films an upstream may be making without having named a job. Of films from before
 * this was noted nobody knows: they count as not begun.
 *
 * @module
 */

/** SQL of schema version 13. */
export const mayHaveBegun = `
ALTER TABLE video_tasks ADD COLUMN may_have_begun INTEGER NOT NULL DEFAULT 0
CHECK (may_have_begun IN (0, 1));
`;
