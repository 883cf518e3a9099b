/**
 * Answers of the Responses API that are kept. The number of an answer's row is
 * its call's id, so that rows lie in order of creation. The items of their output
 * are listed by id, as later requests may refer to one alone.
 *
 * @module
 */

/** A text column that has a value in every row, and never holds U+0000. */
function fullText(column: string, check: string): string {
  return `${column} TEXT NOT NULL CHECK (instr(${column}, char(0)) = 0 AND ${check})`;
}

const UNFINISHED = "status = 'queued' OR status = 'in_progress'";

/** SQL of schema version 3. */
export const responses = `
CREATE TABLE stored_responses (
  call_id INTEGER PRIMARY KEY CHECK (call_id >= 1),
  ${fullText("id", "id <> ''")} UNIQUE,
  ${fullText("project_id", "project_id <> ''")},
  ${
  fullText(
    "status",
    `(${UNFINISHED} OR status = 'completed' OR status = 'incomplete' OR status = 'failed'
      OR status = 'cancelled')`,
  )
},
  is_background INTEGER NOT NULL CHECK (is_background IN (0, 1)),
  previous_id TEXT CHECK (previous_id <> ''),
  ${fullText("input", "json_valid(input)")},
  ${fullText("body", "json_valid(body)")},
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  expires_at INTEGER NOT NULL CHECK (expires_at >= 0),
  CHECK (is_background = 1 OR NOT (${UNFINISHED}))
) STRICT;

CREATE INDEX stored_responses_expiry ON stored_responses (expires_at);

CREATE INDEX stored_responses_unfinished ON stored_responses (call_id) WHERE ${UNFINISHED};

CREATE TABLE stored_response_items (
  project_id TEXT NOT NULL,
  item_id TEXT NOT NULL CHECK (length(item_id) BETWEEN 1 AND 200),
  call_id INTEGER NOT NULL REFERENCES stored_responses (call_id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, item_id, call_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX stored_response_items_call ON stored_response_items (call_id);
`;
