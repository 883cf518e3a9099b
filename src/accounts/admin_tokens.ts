/**
 * Every token of administration in memory, so that a change is effective with the next request.
 *
 * @module
 */

import type { AdminToken } from "../domain/admin_token.ts";
import { hashKey, makeSecret, type NewKey } from "./project_key.ts";

/** How a token begins: nobody takes it for a project's key. */
export const TOKEN_PREFIX = "at-tg-";

/** A use is written again when the last one that was is so old. */
const NOTED_EVERY_MS = 3_600_000;

/** A new token, with what is stored of it: `at-tg-` and 43 base64url characters, 256 random bits. */
export function makeToken(): NewKey {
  return makeSecret(TOKEN_PREFIX);
}

export class AdminTokens {
  readonly #tokens = new Map<string, AdminToken>();
  readonly #idByHash = new Map<string, string>();
  readonly #onUse: (token: AdminToken) => void;

  /** @param onUse Hears that a use is to be written: once an hour of each token, not of each request. */
  constructor(tokens: readonly AdminToken[], onUse: (token: AdminToken) => void) {
    this.#onUse = onUse;
    for (const token of tokens) this.put(token);
  }

  /** The token that somebody sends, whatever its state. */
  find(presented: string): AdminToken | undefined {
    if (!presented.startsWith(TOKEN_PREFIX)) return undefined;
    const id = this.#idByHash.get(hashKey(presented));
    return id === undefined ? undefined : this.#tokens.get(id);
  }

  byId(id: string): AdminToken | undefined {
    return this.#tokens.get(id);
  }

  /** In the order of their making. */
  all(): readonly AdminToken[] {
    return [...this.#tokens.values()]
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /** Whether there is any: then administration is open to who has it. */
  get hasAny(): boolean {
    return this.#tokens.size > 0;
  }

  /** Adds or replaces one. */
  put(token: AdminToken): void {
    this.#tokens.set(token.id, token);
    this.#idByHash.set(token.hash, token.id);
  }

  /** Notes that a token was used. */
  noteUse(token: AdminToken, nowMs: number): void {
    if (nowMs - (token.lastUsedAt ?? -Infinity) < NOTED_EVERY_MS) return;
    const used = { ...token, lastUsedAt: nowMs };
    this.#tokens.set(token.id, used);
    this.#onUse(used);
  }
}
