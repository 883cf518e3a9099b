/**
 * Seals of the ledger: what was found in a run of rows when it was checked. One run begins behind the
 * last row of the one before, and each has one seal.
 *
 * @module
 */

/** One statement. */
export const SEAL_TABLES: readonly string[] = [
  `CREATE TABLE ledger_seals (
  book bigint NOT NULL CHECK (book >= 0),
  after_seq bigint NOT NULL CHECK (after_seq >= 0),
  through_seq bigint NOT NULL CHECK (through_seq > after_seq),
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) = 'object'),
  sha256 text COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (book, after_seq)
)`,
];
