/**
 * Links and ended sessions of the console in the database. Each statement is a transaction of its own.
 *
 * @module
 */

import type { Rights } from "../../domain/roles.ts";
import type { EndedSession, SharedSignIns } from "../ports/shared_sign_ins.ts";
import type { Ask } from "./ask.ts";
import { SERVER_NOW } from "./sql.ts";

/** Milliseconds that a process's clock may be behind the server's: until then an end is known. */
const CLOCKS_MS = 3_600_000;

/** As every process sees them. */
export class PostgresSharedSignIns implements SharedSignIns {
  readonly #ask: Ask;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async end({ id, until }: EndedSession): Promise<void> {
    await this.#ask.run(
      "INSERT INTO console_ended (id, until) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
      id,
      until,
    );
    await this.#ask.run(`DELETE FROM console_ended WHERE until < ${SERVER_NOW} - ${CLOCKS_MS}`);
  }

  async hasEnded({ id }: EndedSession): Promise<boolean> {
    return await this.#ask.get("SELECT 1 AS one FROM console_ended WHERE id = ?", id) !== undefined;
  }

  async keepLink(
    { codeHash, rights }: { readonly codeHash: string; readonly rights: Rights },
    { lastsMs, most }: { readonly lastsMs: number; readonly most: number },
  ): Promise<void> {
    await this.#ask.run(
      `INSERT INTO console_links (code_hash, rights, until) VALUES (?, ?, ${SERVER_NOW} + ?::bigint)`,
      codeHash,
      JSON.stringify(rights),
      lastsMs,
    );
    await this.#ask.run(
      `DELETE FROM console_links WHERE until <= ${SERVER_NOW} OR code_hash NOT IN (
         SELECT code_hash FROM console_links ORDER BY until DESC, code_hash LIMIT ?)`,
      most,
    );
  }

  async takeLink(codeHash: string): Promise<Rights | undefined> {
    const row = await this.#ask.get(
      `DELETE FROM console_links WHERE code_hash = ? RETURNING rights, (until > ${SERVER_NOW})::int AS is_good`,
      codeHash,
    );
    return row?.is_good === 1 ? JSON.parse(row.rights as string) as Rights : undefined;
  }
}
