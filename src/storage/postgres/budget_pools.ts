/**
 * Budgets in the database.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { BudgetAnswer, BudgetAsk, BudgetPools, UnsummedSpend } from "../ports/budget_pools.ts";
import type { PostgresPlace } from "./connection.ts";
import { PoolLine } from "./pool_line.ts";

/** What writes the session's calls, and knows which of them are in no sum. */
export interface SummingWriter {
  readonly session: SessionId;
  unsummed(): readonly UnsummedSpend[] | undefined;
}

/** As this process's session shares them. */
export class PostgresBudgetPools implements BudgetPools {
  readonly #line: PoolLine;
  readonly #writer: SummingWriter;

  constructor(place: PostgresPlace, writer: SummingWriter) {
    this.#writer = writer;
    this.#line = new PoolLine(place, () => writer.session, {
      sql: "SELECT place, holds, elsewhere, spent, is_wanted FROM tg_exchange_budgets_1(?, ?, ?)",
      columns: [
        ...["kind", "scope", "id", "period", "from_hour", "before_hour"],
        ...["most", "holds", "need", "lack", "wish", "reads"],
      ],
    });
  }

  /** See {@linkcode PoolLine.exchange}. */
  async exchange(asks: readonly BudgetAsk[]): Promise<readonly BudgetAnswer[]> {
    const rows = await this.#line.exchange(asks.map((ask) => [
      ...[ask.kind, ask.scope, ask.id, ask.period, ask.fromHour, ask.beforeHour],
      ...[ask.mostE8, ask.holdsE8, ask.needE8, ask.lackE8, ask.wishE8, ask.readsSum ? 1 : 0],
    ]));
    return rows.map(({ holds, elsewhere, spent, is_wanted }) => ({
      holdsE8: holds as bigint,
      elsewhereE8: elsewhere as bigint,
      spentE8: spent === null ? undefined : spent as bigint,
      isWanted: is_wanted === 1n,
    }));
  }

  unsummed(): readonly UnsummedSpend[] | undefined {
    return this.#writer.unsummed();
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}
