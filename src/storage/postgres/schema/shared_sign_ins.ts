/**
 * Links that sign in at the console once, by the SHA-256 of their codes, and its sessions that were ended
 * before their time; each until when that matters, in milliseconds since the epoch.
 *
 * @module
 */

/** One statement each. */
export const SHARED_SIGN_INS: readonly string[] = [
  `CREATE TABLE console_links (
  code_hash text COLLATE "C" PRIMARY KEY,
  rights text NOT NULL,
  until bigint NOT NULL
)`,
  `CREATE TABLE console_ended (
  id text COLLATE "C" PRIMARY KEY,
  until bigint NOT NULL
)`,
];
