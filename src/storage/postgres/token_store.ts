/**
 * Tokens of administration.
 *
 * @module
 */

import type { AdminToken } from "../../domain/admin_token.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { TOKEN, tokenFromRow, tokenValues } from "../rows/token_row.ts";
import type { Ask } from "./ask.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresTokenStore implements Asynchronous<typeof STORES.tokens> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async load(): Promise<readonly AdminToken[]> {
    return (await this.#ask.all(`SELECT ${TOKEN.names} FROM admin_tokens`)).map(tokenFromRow);
  }

  /** Rejects when the id or hash exists, or the project does not. */
  async insert(token: AdminToken): Promise<void> {
    await this.#ask.run(TOKEN.insertInto("admin_tokens"), ...tokenValues(token));
  }

  /** `false` if there is none, or it is revoked already. */
  async revoke(tokenId: string, at: number): Promise<boolean> {
    const sql = "UPDATE admin_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
    return await this.#ask.run(sql, at, tokenId) === 1;
  }

  /** `false` if there is none. */
  async noteUse(tokenId: string, at: number): Promise<boolean> {
    const sql = "UPDATE admin_tokens SET last_used_at = ? WHERE id = ?";
    return await this.#ask.run(sql, at, tokenId) === 1;
  }
}
