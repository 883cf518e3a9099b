/**
 * The append-only record of administrative changes. Each row carries the
 * checksum of the row before it, and `meta` the number and checksum of the last
 * one, so that a row that is gone is missed wherever it was.
 *
 * @module
 */

/** SQL of schema version 6. */
export const audit = `
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY CHECK (seq >= 1),
  at INTEGER NOT NULL CHECK (at >= 0),
  channel TEXT NOT NULL CHECK (channel = 'control_socket' OR channel = 'admin_api'
    OR channel = 'in_process' OR channel = 'catalogue_file' OR channel = 'first_run'),
  user TEXT CHECK (user <> ''),
  address TEXT CHECK (address <> ''),
  operation TEXT NOT NULL CHECK (operation <> ''),
  subject TEXT NOT NULL CHECK (subject LIKE '_%:%'),
  before TEXT CHECK (before IS NULL OR (json_valid(before) AND json_type(before) = 'object')),
  after TEXT CHECK (after IS NULL OR (json_valid(after) AND json_type(after) = 'object')),
  request_id TEXT CHECK (request_id <> ''),
  previous INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  CHECK (before IS NOT NULL OR after IS NOT NULL)
) STRICT;

CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_keeps_columns BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`;
