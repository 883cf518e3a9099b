/**
 * What answers for repeated requests count for besides their bodies: a row each, also where
 * the body was not kept.
 *
 * @module
 */

/** SQL of schema version 14. */
export const answerRows = `
INSERT INTO kept_bytes (project_id, answers, responses, unfinished)
SELECT project_id, 512 * count(*), 0, 0 FROM stored_answers WHERE true GROUP BY project_id
ON CONFLICT (project_id) DO UPDATE SET answers = answers + excluded.answers;
`;
