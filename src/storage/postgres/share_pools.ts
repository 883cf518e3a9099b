/**
 * Pools of limits in the database.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { ShareAnswer, ShareAsk, SharePools } from "../ports/shares.ts";
import type { PostgresPlace } from "./connection.ts";
import { PoolLine } from "./pool_line.ts";

/** Of limits that have none. */
const NO_PERIOD = 0;

/** As this process's session has them. */
export class PostgresSharePools implements SharePools {
  readonly #line: PoolLine;

  constructor(place: PostgresPlace, session: () => SessionId) {
    this.#line = new PoolLine(place, session, {
      sql: "SELECT place, holds, free, is_wanted FROM tg_exchange_shares_1(?, ?, ?)",
      columns: ["kind", "scope", "id", "period", "most", "holds", "need", "lack", "wish"],
    });
  }

  /** See {@linkcode PoolLine.exchange}. */
  async exchange(asks: readonly ShareAsk[]): Promise<readonly ShareAnswer[]> {
    const rows = await this.#line.exchange(asks.map(
      ({ kind, scope, id, most, holds, need, lack, wish }) => [
        ...[kind, scope, id, NO_PERIOD, most, holds, need, lack, wish],
      ],
    ));
    return rows.map(({ holds, free, is_wanted }) => ({
      holds: Number(holds),
      free: Number(free),
      isWanted: is_wanted === 1n,
    }));
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}
