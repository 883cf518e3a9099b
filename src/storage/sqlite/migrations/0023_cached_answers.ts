/**
 * Answers that equal requests of a project get again, where it wants that: apart from those that an
 * Idempotency-Key asks for, which are never lost before their time.
 *
 * @module
 */

/** SQL of schema version 23. */
export const cachedAnswers = `
CREATE TABLE cached_answers (
  project_id TEXT NOT NULL REFERENCES projects (id),
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  stream_provider TEXT,
  stream_route TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  UNIQUE (project_id, path, key)
) STRICT;

CREATE INDEX cached_answers_by_age ON cached_answers (project_id, created_at, bytes);
CREATE INDEX cached_answers_expiry ON cached_answers (expires_at);
`;
