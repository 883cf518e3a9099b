/**
 * Tokens of administration as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";
import { TOKEN, tokenFromRow, tokenValues } from "../rows/token_row.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteTokenStore implements Synchronous<typeof STORES.tokens> {
  readonly #sql;

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      load: `SELECT ${TOKEN.names} FROM admin_tokens`,
      insert: TOKEN.insertInto("admin_tokens"),
      revoke: "UPDATE admin_tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
      noteUse: "UPDATE admin_tokens SET last_used_at = ?2 WHERE id = ?1",
    });
  }

  load(): readonly AdminToken[] {
    return this.#sql.load.all().map((row) => tokenFromRow(row));
  }

  /** Throws when the id or hash exists, or the project does not. */
  insert(token: AdminToken): void {
    this.#sql.insert.run(...tokenValues(token));
  }

  /** `false` if there is none, or it is revoked already. */
  revoke(tokenId: string, at: number): boolean {
    return this.#sql.revoke.run(tokenId, at).changes === 1;
  }

  /** `false` if there is none. */
  noteUse(tokenId: string, at: number): boolean {
    return this.#sql.noteUse.run(tokenId, at).changes === 1;
  }
}
