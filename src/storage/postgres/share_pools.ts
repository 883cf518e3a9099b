/**
 * Pools of limits in the database, over a connection of their own: who waits for a share does not wait
 * for a long batch.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { ShareAnswer, ShareAsk, SharePools } from "../ports/shares.ts";
import { Ask } from "./ask.ts";
import { Connection, type PostgresPlace } from "./connection.ts";
import { mayRunAgain, SessionLost } from "./postgres_error.ts";
import { recordset } from "./sql.ts";

/** Longer than anybody waits for a share: the next exchange is then of more use. */
const DEADLINE_MS = 3_000;
const MOST_TRIES = 5;
const COLUMNS = [
  ...["place", "kind", "scope", "id", "period"],
  ...["most", "holds", "need", "lack", "wish"],
];
/** Of limits that have none. */
const NO_PERIOD = 0;

/** As this process's session has them. */
export class PostgresSharePools implements SharePools {
  readonly #place: PostgresPlace;
  readonly #session: () => SessionId;
  #connection: Connection | undefined;
  #turn = 0;
  #isClosed = false;

  readonly #ask: Ask = new Ask((text, values, types) => this.#connection!.run(text, values, types));

  constructor(place: PostgresPlace, session: () => SessionId) {
    this.#place = { ...place, deadlineMs: DEADLINE_MS };
    this.#session = session;
  }

  /**
   * @throws {SessionLost} If this process's session has ended.
   * @throws {ConnectionLost} If nobody answers.
   */
  async exchange(asks: readonly ShareAsk[]): Promise<readonly ShareAnswer[]> {
    const rows = await this.#exchanged(recordset(
      COLUMNS,
      asks.map(({ kind, scope, id, most, holds, need, lack, wish }, place) => [
        ...[place, kind, scope, id, NO_PERIOD, most, holds, need, lack, wish],
      ]),
    ));
    if (rows.length < asks.length) {
      throw new SessionLost("This process's session in the database has ended");
    }
    const answers: ShareAnswer[] = [];
    for (const { place, holds, free, is_wanted } of rows) {
      answers[place as number] = {
        holds: holds as number,
        free: free as number,
        isWanted: is_wanted === 1,
      };
    }
    return answers;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  async #exchanged(asks: string) {
    for (let tries = 1;; tries++) {
      await this.#connect();
      try {
        return await this.#ask.all(
          "SELECT place, holds, free, is_wanted FROM tg_exchange_shares_1(?, ?, ?)",
          ...[this.#session(), ++this.#turn, asks],
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
