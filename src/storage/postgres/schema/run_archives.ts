/**
 * Archives of sealed runs. `state` is 0 for one that is being written, 1 for one that is whole and whose
 * runs are being dropped, 2 for one that is done; `session_id` is who is at it. A sealed run has the
 * number of its archive once that is whole.
 *
 * @module
 */

/** One statement each. */
export const RUN_ARCHIVES: readonly string[] = [
  `CREATE TABLE run_archives (
  number bigint PRIMARY KEY CHECK (number >= 1),
  state bigint NOT NULL CHECK (state BETWEEN 0 AND 2),
  session_id bigint NOT NULL,
  before_at bigint NOT NULL DEFAULT 0,
  calls bigint NOT NULL DEFAULT 0,
  first_call_id bigint NOT NULL DEFAULT 0,
  last_call_id bigint NOT NULL DEFAULT 0,
  file text COLLATE "C" NOT NULL DEFAULT '',
  document text COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_typeof(document::json) = 'object'),
  sha256 text COLLATE "C" NOT NULL DEFAULT '' CHECK (state = 0 OR length(sha256) = 64)
)`,
  `ALTER TABLE ledger_seals ADD COLUMN archive bigint`,
];
