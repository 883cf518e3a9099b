/**
 * Whose films have been fetched: a quota spares the others. Of films from before this
 * was noted nobody knows, so they count as fetched.
 *
 * @module
 */

const HAS_FILM = "status = 'completed' AND file_removed_at IS NULL";

/** SQL of schema version 10. */
export const fetchedFilms = `
ALTER TABLE video_tasks ADD COLUMN fetched_at INTEGER CHECK (fetched_at >= 0);

UPDATE video_tasks SET revision = revision + 1, fetched_at = completed_at
WHERE status = 'completed';

DROP INDEX video_tasks_films;

CREATE INDEX video_tasks_films ON video_tasks
(project_id, completed_at, call_id, file_bytes, fetched_at, status, file_removed_at)
WHERE ${HAS_FILM};
`;
