/**
 * What a server's error means for an entry, by its SQLSTATE.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { EntryRefused } from "../entries/entry_results.ts";
import type { Refusal } from "../ports/entry.ts";
import { SessionLost } from "../ports/session_lost.ts";
import { ConnectionLost, isFromServer } from "./connection.ts";

const UNIQUE = "23505";
const FOREIGN_KEY = "23503";
const DISK_FULL = "53100";
const NO_CHARACTER = "22021";

/** The refusal that an error thrown while writing stands for. */
export function refusalFromError(error: unknown): Refusal {
  if (error instanceof EntryRefused) return error.refusal;
  const message = error instanceof Error ? error.message : String(error);
  const code = isFromServer(error) ? error.code : undefined;
  if (code === DISK_FULL) {
    return { ok: false, reason: "full", message: "The database server's disk is full" };
  }
  if (code === UNIQUE) {
    return { ok: false, reason: "conflict", message: `Exists already (${message})` };
  }
  if (code === FOREIGN_KEY) {
    return { ok: false, reason: "missing", message: "What it refers to does not exist" };
  }
  return { ok: false, reason: concernsWholeDatabase(error) ? "unavailable" : "failed", message };
}

/**
 * What is thrown in place of an error of asking: `storage_away` where the database as a whole does not
 * answer, `invalid_value` where it was asked for a text that no text there can be. Any other error is itself.
 */
export function wordsForAsker(error: unknown): unknown {
  if (concernsWholeDatabase(error)) {
    const message = "The gateway's database does not answer at the moment";
    return new GatewayError("storage_away", message, { cause: error });
  }
  if (isFromServer(error) && error.code === NO_CHARACTER) {
    const message = "Expected text without U+0000: no id and no name has it";
    return new GatewayError("invalid_value", message, { cause: error });
  }
  return error;
}

/**
 * Whether writing entry by entry cannot help: everything that the server says but what is about values
 * (class 22), constraints (23) and statements (21, 42), and whatever keeps it from saying anything.
 */
export function concernsWholeDatabase(error: unknown): boolean {
  if (isFromServer(error)) return !/^(?:21|22|23|42)/.test(error.code);
  return error instanceof ConnectionLost || error instanceof SessionLost;
}

/** Whether the same transaction may succeed when it is run again: it has met another one. */
export function mayRunAgain(error: unknown): boolean {
  return isFromServer(error) && (error.code === "40001" || error.code === "40P01");
}

const LOCK_NOT_AVAILABLE = "55P03";

/** Whether it waited too long for what another transaction has locked. */
export function isLocked(error: unknown): boolean {
  return isFromServer(error) && error.code === LOCK_NOT_AVAILABLE;
}

/**
 * What a statement is ended with that was too long, or waited too long for what another one has locked,
 * such as one of a connection that is cut, which the server does not know yet; and the refusal of a
 * connection where there are too many.
 */
const PASSING: ReadonlySet<string> = new Set(["57014", LOCK_NOT_AVAILABLE, "53300"]);

/** Whether the server says what passes: these, and what it says while it starts, recovers or goes away. */
export function passes(error: unknown): boolean {
  return isFromServer(error) && (error.code.startsWith("57P") || PASSING.has(error.code));
}

/** CockroachDB's and PostgreSQL's word for an end that nobody knows. */
const COMPLETION_UNKNOWN = "40003";

/** Whether what was asked for may have come to its end. */
export function isEndUnknown(error: unknown): boolean {
  return !isFromServer(error) || error.code === COMPLETION_UNKNOWN;
}

/** There is no statement of that name, or another one already. */
const NOT_KEPT: ReadonlySet<string> = new Set(["26000", "42P05"]);

/**
 * Whether a statement was not run for its name: behind a pooler that shares connections by transactions the
 * server forgets a client's statements, or knows another client's.
 */
export function isNotKept(error: unknown): boolean {
  return isFromServer(error) && NOT_KEPT.has(error.code);
}

/** Whether a text was to be read that is no value of its type. */
export function isBadText(error: unknown): boolean {
  return isFromServer(error) && error.code === "22P02";
}

/** Whether a statement of ours says by a division that a row was not written which had to be. */
export function isDivision(error: unknown): boolean {
  return isFromServer(error) && error.code === "22012";
}

/** Whether nobody knows if what was to be written was: it is not to be tried in another way. */
export function mayBeWritten(error: unknown): boolean {
  return (error as { readonly mayBeWritten?: true }).mayBeWritten === true;
}
