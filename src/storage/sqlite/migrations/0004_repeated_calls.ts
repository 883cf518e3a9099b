/**
 * What a repeated call needs to be answered again, streams included: whose request was
 * answered, who served a stream, and that a body was too large to be kept. An answer goes
 * with the video task or the response that it tells of.
 *
 * @module
 */

/** A text column, which never holds U+0000: the runtime reads a text only up to it. */
function text(column: string, check: string, isOptional = false): string {
  return `${column} TEXT${
    isOptional ? "" : " NOT NULL"
  } CHECK (instr(${column}, char(0)) = 0 AND ${check})`;
}

const COPIED = "project_id, path, key, fingerprint, status, body, created_at, expires_at";

/** SQL of schema version 4. */
export const repeatedCalls = `
CREATE TABLE answers_of_version_4 (
  ${text("project_id", "project_id <> ''")},
  ${text("path", "path <> ''")},
  ${text("key", "key <> ''")},
  ${text("fingerprint", "fingerprint <> ''")},
  ${text("request_id", "request_id <> ''")},
  status INTEGER NOT NULL CHECK (status BETWEEN 200 AND 599),
  body TEXT CHECK (instr(body, char(0)) = 0),
  ${text("stream_provider", "stream_provider <> ''", true)},
  ${text("stream_route", "stream_route <> ''", true)},
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  expires_at INTEGER NOT NULL CHECK (expires_at >= 0),
  ${text("tells_of", "tells_of <> ''", true)},
  PRIMARY KEY (project_id, path, key),
  CHECK ((stream_provider IS NULL) = (stream_route IS NULL))
) STRICT;

INSERT INTO answers_of_version_4 (${COPIED}, request_id, tells_of)
SELECT ${COPIED.split(", ").map((column) => `a.${column}`).join(", ")}, t.request_id, t.id
FROM stored_answers AS a JOIN video_tasks AS t ON t.id = a.video_id;

DROP TABLE stored_answers;
ALTER TABLE answers_of_version_4 RENAME TO stored_answers;

CREATE INDEX stored_answers_expiry ON stored_answers (expires_at);
CREATE INDEX stored_answers_by_subject ON stored_answers (tells_of) WHERE tells_of IS NOT NULL;
`;
