/**
 * Who answers a request that carries an `Idempotency-Key`.
 *
 * @module
 */

/** One statement each. */
export const KEY_CLAIM_TABLES: readonly string[] = [
  `CREATE TABLE idempotency_claims (
  project_id text COLLATE "C" NOT NULL CHECK (project_id <> ''),
  path text COLLATE "C" NOT NULL CHECK (path <> ''),
  key text COLLATE "C" NOT NULL CHECK (key <> ''),
  fingerprint text COLLATE "C" NOT NULL CHECK (fingerprint <> ''),
  request_id text COLLATE "C" NOT NULL CHECK (request_id <> ''),
  session_id bigint NOT NULL,
  wanted_until bigint NOT NULL CHECK (wanted_until >= 0),
  PRIMARY KEY (project_id, path, key)
)`,
  `CREATE INDEX idempotency_claims_by_session ON idempotency_claims (session_id)`,
];
