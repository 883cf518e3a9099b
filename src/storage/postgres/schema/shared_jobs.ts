/**
 * Long operations of administration that any node may have begun, and whose work they are.
 *
 * @module
 */

/** One statement each. One of an operation is under way at a time, whoever begins it. */
export const SHARED_JOBS: readonly string[] = [
  `CREATE TABLE admin_jobs (
  id text COLLATE "C" PRIMARY KEY,
  operation text COLLATE "C" NOT NULL,
  session_id bigint NOT NULL,
  state text NOT NULL CHECK (state IN
    ('running', 'cancelling', 'completed', 'failed', 'cancelled', 'interrupted')),
  facts text NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  progress text,
  result text,
  error text
)`,
  `CREATE UNIQUE INDEX admin_jobs_under_way ON admin_jobs (operation)
   WHERE state IN ('running', 'cancelling')`,
];
