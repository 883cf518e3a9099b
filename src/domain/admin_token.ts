/**
 * Tokens of administration: what people and programs administer with who are not the owner of the
 * machine, or not all of it.
 *
 * @module
 */

import type { Rights } from "./roles.ts";

/** A token as stored: never the token itself. */
export interface AdminToken {
  readonly id: string;
  readonly name: string;
  /** The first characters of the token, to recognise it by. */
  readonly prefix: string;
  /** SHA-256 of the whole token, lower-case hex. */
  readonly hash: string;
  readonly rights: Rights;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  /** To the hour or so: not every use is written. */
  readonly lastUsedAt: number | undefined;
  /** Set once it is taken back, for good. */
  readonly revokedAt: number | undefined;
}

/** Whether a token opens something, or why not. */
export function stateOfToken(
  { expiresAt, revokedAt }: Pick<AdminToken, "expiresAt" | "revokedAt">,
  nowMs: number,
): "active" | "expired" | "revoked" {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt <= nowMs ? "expired" : "active";
}
