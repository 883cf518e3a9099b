/**
 * Requests that were refused before they became calls: sums by hour, and the last ones of each
 * project. Both are bounded for each project by whoever writes them.
 *
 * @module
 */

/** SQL of schema version 27. */
export const refusals = `
CREATE TABLE refusal_hourly (
  hour INTEGER NOT NULL CHECK (hour >= 0),
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  reason TEXT NOT NULL,
  why TEXT NOT NULL,
  refusals INTEGER NOT NULL CHECK (refusals >= 1),
  last_at INTEGER NOT NULL CHECK (last_at >= 0),
  PRIMARY KEY (hour, project_id, key_id, model, reason, why)
) STRICT, WITHOUT ROWID;

CREATE TABLE refused_requests (
  place INTEGER PRIMARY KEY,
  call_id INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  model TEXT NOT NULL,
  reason TEXT NOT NULL,
  why TEXT NOT NULL,
  status INTEGER NOT NULL,
  param TEXT NOT NULL,
  message TEXT NOT NULL,
  at INTEGER NOT NULL CHECK (at >= 0)
) STRICT;

CREATE INDEX refused_requests_by_call ON refused_requests (call_id);
CREATE INDEX refused_requests_by_project ON refused_requests (project_id, call_id);
`;
