/**
 * Unfinished films, as they are counted for their project and key when another one is created.
 *
 * @module
 */

/** One statement each. */
export const OPEN_FILMS: readonly string[] = [
  `CREATE INDEX video_tasks_open_of_project ON video_tasks (project_id, key_id)
WHERE status = 'queued' OR status = 'in_progress'`,
];
