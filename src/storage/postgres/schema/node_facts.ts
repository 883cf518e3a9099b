/**
 * What nodes say of themselves, for whoever looks at them: nothing is decided by it.
 *
 * Times are of the server's clock, in milliseconds. A session of an earlier program has 0 and ''
 * everywhere.
 *
 * @module
 */

/**
 * One statement, of one table: nodes that are at work read this one and that of the sessions in either
 * order, so that whoever locks both may wait for ever.
 */
export const NODE_FACTS: readonly string[] = [
  `ALTER TABLE node_beats
  ADD COLUMN begun_at bigint NOT NULL DEFAULT 0 CHECK (begun_at >= 0),
  ADD COLUMN program text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN beaten_at bigint NOT NULL DEFAULT 0 CHECK (beaten_at >= 0),
  ADD COLUMN clock_ahead_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN config_version bigint NOT NULL DEFAULT 0,
  ADD COLUMN config_age_ms bigint NOT NULL DEFAULT 0`,
];
