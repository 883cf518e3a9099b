/**
 * What has changed of the configuration, for nodes that have it in memory.
 *
 * @module
 */

/** One statement each. */
export const CONFIGURATION_TABLES: readonly string[] = [
  // Whoever changes the configuration holds this row.
  `INSERT INTO cluster_meta (name, value) VALUES ('config', '0')`,
  `CREATE TABLE config_changes (
  version bigint PRIMARY KEY CHECK (version >= 1),
  kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL CHECK (at >= 0),
  session_id bigint NOT NULL CHECK (session_id >= 0)
)`,
];
