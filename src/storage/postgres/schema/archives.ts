/**
 * Tables of what archives have left behind in a database that was moved here: from this one itself
 * nothing is archived.
 *
 * @module
 */

/** One statement each. */
export const ARCHIVE_TABLES: readonly string[] = [
  `CREATE TABLE checkpoints (
  number bigint PRIMARY KEY CHECK (number >= 1),
  last_seq bigint NOT NULL CHECK (last_seq >= 1),
  first_call_id bigint NOT NULL CHECK (first_call_id >= 0),
  last_call_id bigint NOT NULL CHECK (last_call_id >= first_call_id),
  calls bigint NOT NULL CHECK (calls >= 0),
  before_at bigint NOT NULL CHECK (before_at >= 0),
  file text COLLATE "C" NOT NULL CHECK (file <> ''),
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) = 'object'),
  sha256 text COLLATE "C" NOT NULL CHECK (length(sha256) = 64)
)`,
  `CREATE TABLE kept_calls (
  call_id bigint PRIMARY KEY REFERENCES calls (call_id) ON DELETE CASCADE
)`,
  `CREATE TABLE kept_references (
  project_id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  amount_e8 bigint NOT NULL CHECK (amount_e8 >= 0),
  checkpoint bigint NOT NULL REFERENCES checkpoints (number),
  PRIMARY KEY (project_id, reference)
)`,
];
