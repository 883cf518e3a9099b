/**
 * Archived calls: where the live ledger begins, and what of the archived rows stays.
 * The guards of the ledger and of calls let go of what a checkpoint has archived, and
 * of nothing else.
 *
 * @module
 */

/** Whether a checkpoint says that the row is in an archive. */
const ARCHIVED_CALL = `OLD.state <> 'open' AND EXISTS (
  SELECT 1 FROM checkpoints WHERE OLD.call_id <= last_call_id AND OLD.closed_at < before_at)`;

/** SQL of schema version 9. */
export const checkpoints = `
CREATE TABLE checkpoints (
  number INTEGER PRIMARY KEY CHECK (number >= 1),
  last_seq INTEGER NOT NULL CHECK (last_seq >= 1),
  first_call_id INTEGER NOT NULL CHECK (first_call_id >= 0),
  last_call_id INTEGER NOT NULL CHECK (last_call_id >= first_call_id),
  calls INTEGER NOT NULL CHECK (calls >= 0),
  before_at INTEGER NOT NULL CHECK (before_at >= 0),
  file TEXT NOT NULL CHECK (file <> '' AND instr(file, char(0)) = 0),
  document TEXT NOT NULL CHECK (json_valid(document) AND json_type(document) = 'object'),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;

CREATE TRIGGER checkpoints_follow BEFORE INSERT ON checkpoints
WHEN NEW.number <> coalesce((SELECT max(number) FROM checkpoints), 0) + 1
  OR NEW.last_seq <= coalesce((SELECT max(last_seq) FROM checkpoints), 0)
  OR NEW.last_seq > coalesce((SELECT max(seq) FROM ledger), 0)
BEGIN SELECT RAISE(ABORT, 'checkpoints follow each other'); END;

CREATE TRIGGER checkpoints_keep_rows BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;

CREATE TRIGGER checkpoints_keep_columns BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;

CREATE TABLE kept_references (
  project_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  amount_e8 INTEGER NOT NULL CHECK (amount_e8 >= 0),
  checkpoint INTEGER NOT NULL REFERENCES checkpoints (number),
  PRIMARY KEY (project_id, reference)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER kept_references_keep_rows BEFORE DELETE ON kept_references
BEGIN SELECT RAISE(ABORT, 'references of credits are append-only'); END;

CREATE TRIGGER kept_references_keep_columns BEFORE UPDATE ON kept_references
BEGIN SELECT RAISE(ABORT, 'references of credits are append-only'); END;

CREATE TABLE kept_calls (
  call_id INTEGER PRIMARY KEY REFERENCES calls (call_id) ON DELETE CASCADE
) STRICT;

DROP TRIGGER ledger_keeps_rows;
CREATE TRIGGER ledger_keeps_rows BEFORE DELETE ON ledger
WHEN OLD.seq > coalesce((SELECT max(last_seq) FROM checkpoints), 0)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only, but for rows that a checkpoint has archived'); END;

CREATE TRIGGER calls_keep_rows BEFORE DELETE ON calls WHEN NOT (${ARCHIVED_CALL})
BEGIN SELECT RAISE(ABORT, 'calls stay, but for those that a checkpoint has archived'); END;
`;
