/**
 * Sessions that have left something open.
 *
 * @module
 */

import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { Ask } from "./ask.ts";
import { WITH_OPEN } from "./ended_sessions.ts";

/** The port's reads. */
export class PostgresSessionStore implements Asynchronous<typeof STORES.sessions> {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param session Who asks. */
  constructor(ask: Ask, session: () => SessionId = () => EARLIER_SESSION) {
    this.#ask = ask;
    this.#session = session;
  }

  /** Without those that another one goes on with. */
  async withOpen(): Promise<readonly SessionId[]> {
    const rows = await this.#ask.all(
      `SELECT session_id FROM (${WITH_OPEN}) AS one WHERE session_id NOT IN
         (SELECT ended.session_id FROM node_sessions AS ended
            JOIN node_sessions AS heirs ON heirs.session_id = ended.heir
          WHERE ended.state <> 'live' AND heirs.state = 'live' AND heirs.session_id <> ?::bigint)
       ORDER BY session_id`,
      this.#session(),
    );
    return rows.map(({ session_id }) => session_id as SessionId);
  }
}
