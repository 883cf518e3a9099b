/**
 * Batches and what became of their lines, until that is in their files.
 *
 * @module
 */

/** SQL of schema version 24. */
export const batches = `
CREATE TABLE batches (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id GLOB 'batch_*'),
  project_id TEXT NOT NULL REFERENCES projects (id),
  key_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  input_file_id TEXT NOT NULL,
  completion_window TEXT NOT NULL,
  metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  output_seconds INTEGER,
  output_file_id TEXT NOT NULL,
  error_file_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  model TEXT,
  total INTEGER NOT NULL CHECK (total >= 0),
  counts_completed INTEGER NOT NULL CHECK (counts_completed >= 0),
  counts_failed INTEGER NOT NULL CHECK (counts_failed >= 0),
  counts_usage_input_tokens INTEGER NOT NULL,
  counts_usage_cached_tokens INTEGER NOT NULL,
  counts_usage_output_tokens INTEGER NOT NULL,
  counts_usage_reasoning_tokens INTEGER NOT NULL,
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0),
  error_bytes INTEGER NOT NULL CHECK (error_bytes >= 0),
  faults TEXT NOT NULL CHECK (json_valid(faults)),
  in_progress_at INTEGER,
  cancelling_at INTEGER,
  finalizing_at INTEGER,
  ended_at INTEGER,
  CHECK ((ended_at IS NOT NULL) =
    (status = 'failed' OR status = 'completed' OR status = 'expired' OR status = 'cancelled'))
) STRICT;
CREATE INDEX batches_by_project ON batches (project_id, place);
CREATE INDEX batches_open ON batches (place) WHERE ended_at IS NULL;

CREATE TABLE batch_lines (
  batch_id TEXT NOT NULL REFERENCES batches (id),
  line INTEGER NOT NULL CHECK (line > 0),
  is_failed INTEGER NOT NULL CHECK (is_failed = 0 OR is_failed = 1),
  text TEXT,
  usage_input_tokens INTEGER NOT NULL,
  usage_cached_tokens INTEGER NOT NULL,
  usage_output_tokens INTEGER NOT NULL,
  usage_reasoning_tokens INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX batch_lines_by_batch ON batch_lines (batch_id, line);
CREATE INDEX batch_lines_to_write ON batch_lines (batch_id, line) WHERE text IS NOT NULL;
`;
