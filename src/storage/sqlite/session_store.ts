/**
 * The session that a connection writes for, and those that have left something open.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";

/** The port's reads, and the session of what is written. */
export class SqliteSessionStore implements Synchronous<typeof STORES.sessions> {
  readonly #sql;
  #live = EARLIER_SESSION;
  #isStored = true;

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      ofCalls: "SELECT session_id FROM calls INDEXED BY calls_open WHERE state = 'open'",
      ofResponses: `SELECT session_id FROM stored_responses INDEXED BY stored_responses_unfinished
        WHERE status = 'queued' OR status = 'in_progress'`,
      last: "SELECT CAST(value AS INTEGER) AS session_id FROM meta WHERE name = 'last_session'",
      store: "UPDATE meta SET value = ? WHERE name = 'last_session'",
    });
  }

  /** Whose is what this connection writes. */
  get live(): SessionId {
    return this.#live;
  }

  /** Begins another one: nothing is written yet, so that a start needs no room on the disk. */
  begin(): SessionId {
    this.#isStored = false;
    return this.#live = (this.#sql.last.get()!.session_id as SessionId) + 1;
  }

  /** Writes the session's number with the first that it writes, inside the caller's transaction. */
  store(): void {
    if (!this.#isStored) this.#sql.store.run(String(this.#live));
  }

  /** The transaction is on the disk. */
  stored(): void {
    this.#isStored = true;
  }

  withOpen(): readonly SessionId[] {
    const found = new Set<SessionId>();
    for (const statement of [this.#sql.ofCalls, this.#sql.ofResponses]) {
      for (const { session_id } of statement.iterate()) found.add(session_id as SessionId);
    }
    return [...found].sort((a, b) => a - b);
  }
}
