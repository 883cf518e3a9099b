/**
 * Exchanges of a node with what several nodes share, over a connection of their own: who waits for a
 * share does not wait for a long batch.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import { SessionLost } from "../ports/session_lost.ts";
import { Ask, type AskedRow } from "./ask.ts";
import { Connection, type PostgresPlace } from "./connection.ts";
import { mayRunAgain } from "./postgres_error.ts";
import { recordset } from "./sql.ts";

/** Longer than anybody waits for a share: the next exchange is then of more use. */
const DEADLINE_MS = 3_000;
const MOST_TRIES = 5;

/** One kind of exchange: the statement, which takes a session, a turn and rows, and their columns. */
export interface Exchange {
  readonly sql: string;
  /** Without `place`, which is the row's own. */
  readonly columns: readonly string[];
}

/** As this process's session makes them, one at a time. */
export class PoolLine {
  readonly #place: PostgresPlace;
  readonly #session: () => SessionId;
  readonly #exchange: Exchange;
  #connection: Connection | undefined;
  #turn = 0;
  #isClosed = false;

  readonly #ask: Ask = new Ask((text, values, types) =>
    this.#connection!.run(text, values, { types })
  );

  constructor(place: PostgresPlace, session: () => SessionId, exchange: Exchange) {
    this.#place = { ...place, deadlineMs: DEADLINE_MS };
    this.#session = session;
    this.#exchange = exchange;
  }

  /**
   * One answer for each row, in their order; integers come as BigInts.
   *
   * @throws {SessionLost} If this process's session has ended.
   * @throws {ConnectionLost} If nobody answers.
   */
  async exchange(rows: readonly (readonly unknown[])[]): Promise<readonly AskedRow[]> {
    const answered = await this.#answered(recordset(
      ["place", ...this.#exchange.columns],
      rows.map((values, place) => [place, ...values]),
    ));
    if (answered.length < rows.length) {
      throw new SessionLost("This process's session in the database has ended");
    }
    const answers: AskedRow[] = [];
    for (const row of answered) answers[Number(row.place)] = row;
    return answers;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  async #answered(rows: string) {
    for (let tries = 1;; tries++) {
      await this.#connect();
      try {
        return await this.#ask.allWide(
          this.#exchange.sql,
          ...[this.#session(), ++this.#turn, rows],
        );
      } catch (error) {
        if (!mayRunAgain(error) || tries >= MOST_TRIES) throw error;
      }
    }
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) throw new Error("The database is closed");
    if (this.#connection?.isLost === false) return;
    this.#connection = await Connection.open(this.#place);
  }
}
