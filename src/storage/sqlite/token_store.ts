/**
 * Tokens of administration as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { Role } from "../../domain/roles.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { freeText, integer, orNone, RowOf, text } from "./row_of.ts";
import { prepareAll } from "./statements.ts";

/** Of a token, its rights in columns. */
interface StoredToken extends Omit<AdminToken, "rights"> {
  readonly role: Role;
  readonly projectId: string | undefined;
}

const TOKEN = new RowOf<StoredToken>({
  id: text(),
  name: freeText(),
  prefix: text(),
  hash: text(),
  role: text(),
  projectId: orNone(text()),
  expiresAt: orNone(integer()),
  createdAt: integer(),
  lastUsedAt: orNone(integer()),
  revokedAt: orNone(integer()),
});

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
    return this.#sql.load.all().map((row) => {
      const { role, projectId, ...token } = TOKEN.read(row);
      const rights = role === "member" ? { role, project: projectId! } : { role };
      return { ...token, rights };
    });
  }

  /** Throws when the id or hash exists, or the project does not. */
  insert({ rights, ...token }: AdminToken): void {
    const projectId = rights.role === "member" ? rights.project : undefined;
    this.#sql.insert.run(...TOKEN.values({ ...token, role: rights.role, projectId }));
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
