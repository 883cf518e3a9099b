/**
 * Tokens of administration as rows.
 *
 * @module
 */

import type { AdminToken } from "../../domain/admin_token.ts";
import type { Role } from "../../domain/roles.ts";
import type { ColumnValue } from "./row_checksum.ts";
import { freeText, integer, orNone, RowOf, text } from "./row_of.ts";

/** Of a token, its rights in columns. */
interface StoredToken extends Omit<AdminToken, "rights"> {
  readonly role: Role;
  readonly projectId: string | undefined;
}

export const TOKEN = new RowOf<StoredToken>({
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

/** A token's values. */
export function tokenValues({ rights, ...token }: AdminToken): ColumnValue[] {
  const projectId = rights.role === "member" ? rights.project : undefined;
  return TOKEN.values({ ...token, role: rights.role, projectId });
}

/** The token that a row stores. */
export function tokenFromRow(row: unknown): AdminToken {
  const { role, projectId, ...token } = TOKEN.read(row);
  const rights = role === "member" ? { role, project: projectId! } : { role };
  return { ...token, rights };
}
