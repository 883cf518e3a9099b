/**
 * Sessions that have left something open.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { Ask } from "./ask.ts";

/** The port's reads. */
export class PostgresSessionStore implements Asynchronous<typeof STORES.sessions> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async withOpen(): Promise<readonly SessionId[]> {
    const rows = await this.#ask.all(
      `SELECT session_id FROM calls WHERE state = 'open'
       UNION
       SELECT session_id FROM stored_responses WHERE status = 'queued' OR status = 'in_progress'
       ORDER BY session_id`,
    );
    return rows.map(({ session_id }) => session_id as SessionId);
  }
}
