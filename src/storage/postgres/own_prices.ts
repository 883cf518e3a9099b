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

  /** Puts them over these, if nobody has put others meanwhile: whether they were put. */
  async write(text: string, before: string | undefined): Promise<boolean> {
    const put = before === undefined
      ? await this.#ask.run(
        "INSERT INTO cluster_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        NAME,
        text,
      )
      : await this.#ask.run(
        "UPDATE cluster_meta SET value = ? WHERE name = ? AND value = ?",
        text,
        NAME,
        before,
      );
    return put === 1;
  }
}
