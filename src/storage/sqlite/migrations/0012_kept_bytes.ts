/**
 * What projects keep, in bytes: sums that are written with what they count, and
 * an index by which the oldest answers of a project are found.
 *
 * @module
 */

const UNFINISHED = "status = 'queued' OR status = 'in_progress'";

/** SQL of schema version 12. */
export const keptBytes = `
CREATE TABLE kept_bytes (
  project_id TEXT PRIMARY KEY CHECK (project_id <> ''),
  answers INTEGER NOT NULL CHECK (answers >= 0),
  responses INTEGER NOT NULL CHECK (responses >= 0),
  unfinished INTEGER NOT NULL CHECK (unfinished >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO kept_bytes (project_id, answers, responses, unfinished)
SELECT project_id, sum(answers), sum(responses), sum(unfinished) FROM (
  SELECT project_id, coalesce(octet_length(body), 0) AS answers, 0 AS responses, 0 AS unfinished
  FROM stored_answers
  UNION ALL
  SELECT project_id, 0, octet_length(input) + octet_length(body),
    CASE WHEN ${UNFINISHED} THEN octet_length(input) + octet_length(body) ELSE 0 END
  FROM stored_responses
) GROUP BY project_id;

CREATE INDEX stored_responses_by_age ON stored_responses (project_id, created_at);
`;
