/**
 * Which session goes on with what an ended one has left. Who goes on may end too: then it is another's.
 *
 * @module
 */

/** One statement each. */
export const HEIRS: readonly string[] = [
  `ALTER TABLE node_sessions ADD COLUMN heir bigint NOT NULL DEFAULT 0 CHECK (heir >= 0)`,
  // Whoever knows no slots knows no leases: a program that has waited since then begins no session.
  `ALTER TABLE node_sessions ALTER COLUMN slot DROP DEFAULT`,
];
