/**
 * Which sealed runs have lost their calls to age: 0 for none, 1 for one whose rows are being deleted, 2
 * for one that has none left but those that stay.
 *
 * @module
 */

/** One statement. */
export const DROPPED_CALLS: readonly string[] = [
  `ALTER TABLE ledger_seals ADD COLUMN dropped bigint NOT NULL DEFAULT 0
  CHECK (dropped BETWEEN 0 AND 2)`,
];
