/**
 * What several nodes at one time need: a slice of each balance that is one node's alone, and a book of
 * the ledger for each of them.
 *
 * `ledger_books` says how far the hourly sums cover a book, and of whose session has ended whether that
 * is all of it. A project's balance is `avail_e8` of its row, which nobody has leased, its `held_e8`, for
 * calls that are no node's (films, and what ended sessions have left open), and what leases have left
 * and hold.
 *
 * @module
 */

/** One statement each. */
export const LEASE_TABLES: readonly string[] = [
  `CREATE TABLE leases (
  session_id bigint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  left_e8 bigint NOT NULL CHECK (left_e8 BETWEEN 0 AND 999999999999999999),
  held_e8 bigint NOT NULL CHECK (held_e8 BETWEEN 0 AND 999999999999999999),
  booked_e8 bigint NOT NULL CHECK (booked_e8 BETWEEN -999999999999999999 AND 0),
  PRIMARY KEY (session_id, project_id)
)`,
  `CREATE INDEX leases_by_project ON leases (project_id, session_id)`,
  // Whoever found too little there asks all who have a lease to give back what they do not need.
  `ALTER TABLE projects ADD COLUMN wanted_until bigint NOT NULL DEFAULT 0 CHECK (wanted_until >= 0)`,
  `CREATE INDEX projects_wanted ON projects (wanted_until, id) WHERE wanted_until > 0`,
  // A session's own book begins with nothing, and has no credits.
  `ALTER TABLE ledger DROP CONSTRAINT ledger_balance_after_e8_check`,
  `ALTER TABLE ledger ADD CONSTRAINT ledger_balance_after_e8_check CHECK (
  balance_after_e8 BETWEEN -999999999999999999 AND 999999999999999999
  AND (book > 0 OR balance_after_e8 >= 0))`,
  `CREATE INDEX ledger_of_main_book ON ledger (project_id, seq) WHERE book = 0`,
  `CREATE TABLE ledger_books (
  book bigint PRIMARY KEY CHECK (book >= 0),
  covered_seq bigint NOT NULL CHECK (covered_seq >= 0),
  is_whole bigint NOT NULL CHECK (is_whole IN (0, 1))
)`,
  `INSERT INTO ledger_books (book, covered_seq, is_whole) SELECT 0, coalesce(
  (SELECT value::bigint FROM cluster_meta WHERE name = 'usage_covers_ledger_seq'), 0), 0`,
  `DELETE FROM cluster_meta WHERE name = 'usage_covers_ledger_seq'`,
  `ALTER TABLE node_sessions ADD COLUMN slot bigint NOT NULL DEFAULT 0
  CHECK (slot BETWEEN 0 AND 255)`,
  // Who works on it.
  `ALTER TABLE video_tasks ADD COLUMN session_id bigint NOT NULL DEFAULT 0`,
  // An earlier program has all that is available to itself.
  `UPDATE node_sessions SET state = 'dead' WHERE state = 'live' AND session_id <> 0`,
];
