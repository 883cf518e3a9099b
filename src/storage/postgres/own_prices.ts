/**
 * The rows of prices that an operator has put over the list, as one text.
 *
 * @module
 */

import type { Ask } from "./ask.ts";

/** The entry of `cluster_meta` with them. */
const NAME = "own_prices";

/** Each statement is a transaction of its own. */
export class PostgresOwnPrices {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** `undefined` where there are none. */
  async read(): Promise<string | undefined> {
    const row = await this.#ask.get("SELECT value FROM cluster_meta WHERE name = ?", NAME);
    return row?.value as string | undefined;
  }

  async write(text: string): Promise<void> {
    await this.#ask.run(
      `INSERT INTO cluster_meta (name, value) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      NAME,
      text,
    );
  }
}
