/**
 * What each version of the schema has changed.
 *
 * @module
 */

import { ACCOUNT_TABLES } from "./accounts.ts";
import { ARCHIVE_TABLES } from "./archives.ts";
import { BUDGET_TABLES } from "./budgets.ts";
import { CHECKS_IN_STATEMENTS } from "./checks_in_statements.ts";
import { CONFIGURATION_TABLES } from "./configuration.ts";
import { DROPPED_CALLS } from "./dropped_calls.ts";
import { FILMS_IN_BUCKETS } from "./films_in_buckets.ts";
import { HEIRS } from "./heirs.ts";
import { KNOWN_SCHEMA } from "./known_schema.ts";
import { KEY_CLAIM_TABLES } from "./key_claims.ts";
import { LEASE_TABLES } from "./leases.ts";
import { SHARE_TABLES } from "./shares.ts";
import { NODE_FACTS } from "./node_facts.ts";
import { OPEN_FILMS } from "./open_films.ts";
import { RUN_ARCHIVES } from "./run_archives.ts";
import { SEAL_TABLES } from "./seals.ts";
import { SHARED_BATCHES } from "./shared_batches.ts";
import { SHARED_JOBS } from "./shared_jobs.ts";
import { SHARED_SIGN_INS } from "./shared_sign_ins.ts";
import { SHARED_WORK } from "./shared_work.ts";
import { WORK_TABLES } from "./work.ts";

/** Statements of each version, from the first; what has landed stays as it is. */
export const VERSIONS: readonly (readonly string[])[] = [
  [...ACCOUNT_TABLES, ...WORK_TABLES],
  KEY_CLAIM_TABLES,
  CONFIGURATION_TABLES,
  SHARE_TABLES,
  FILMS_IN_BUCKETS,
  ARCHIVE_TABLES,
  LEASE_TABLES,
  BUDGET_TABLES,
  NODE_FACTS,
  HEIRS,
  OPEN_FILMS,
  SEAL_TABLES,
  KNOWN_SCHEMA,
  DROPPED_CALLS,
  SHARED_BATCHES,
  SHARED_WORK,
  SHARED_SIGN_INS,
  SHARED_JOBS,
  RUN_ARCHIVES,
  CHECKS_IN_STATEMENTS,
];

/** The version that this program writes. */
export const SCHEMA_VERSION = VERSIONS.length;

/**
 * The oldest version whose programs can work with these tables. A version that only adds to them (tables,
 * columns with defaults, functions by new names) leaves it as it is, so that nodes are updated one after
 * the other; one that changes what others use raises it, and comes once none of those is at work.
 *
 * {@linkcode CHECKS_IN_STATEMENTS} takes something away and leaves it all the same: no older program asks for
 * a constraint, and all work on without. But the statements of newer ones alone check what they write, so
 * that whatever an older one writes beside them goes unchecked until it is updated.
 */
export const LEAST_VERSION = 15;
