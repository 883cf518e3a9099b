/**
 * Which version of the schema each session's program knows: a version that takes away what older ones
 * use waits until none of them is at work.
 *
 * @module
 */

/** What sessions know that began before this was noted, nobody has written down: 11 at least. */
export const KNOWN_SCHEMA: readonly string[] = [
  "ALTER TABLE node_beats ADD COLUMN schema_version bigint NOT NULL DEFAULT 11",
];
