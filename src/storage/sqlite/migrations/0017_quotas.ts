/**
 * What a project may take of the disk, where that is said of it alone.
 *
 * @module
 */

/** SQL of schema version 17. */
export const quotas = `
ALTER TABLE projects ADD COLUMN quotas TEXT NOT NULL DEFAULT '{}'
CHECK (json_valid(quotas) AND json_type(quotas) = 'object');
`;
