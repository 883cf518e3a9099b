/**
 * Links and ended sessions of the console in the database. Each statement comes to the same when it is asked
 * again, as it is where its answer was lost.
 *
 * @module
 */

import * as z from "zod";
import { SESSION_MS } from "../../domain/console_session.ts";
import { RANKS, type Rights } from "../../domain/roles.ts";
import {
  type AskedSession,
  type EndedSession,
  EVERY_SESSION,
  type SharedSignIns,
} from "../ports/shared_sign_ins.ts";
import type { Ask } from "./ask.ts";
import { SERVER_NOW } from "./sql.ts";

/** Milliseconds that a process's clock may be behind the server's: until then an end is known. */
const CLOCKS_MS = 3_600_000;

/** Milliseconds for which the taking of a link may be asked again: less than a link is good for. */
const TAKEN_MS = 60_000;

/** As they are kept with a link. */
const keptRights = z.union([
  z.strictObject({ role: z.enum(RANKS) }),
  z.strictObject({ role: z.literal("member"), project: z.string() }),
]);

/** As every process sees them. */
export class PostgresSharedSignIns implements SharedSignIns {
  readonly #ask: Ask;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  end(session: EndedSession): Promise<void> {
    return this.endAll([session]);
  }

  async endAll(sessions: readonly EndedSession[]): Promise<void> {
    const ended = await this.#ask.run(
      `INSERT INTO console_ended (id, until) SELECT * FROM unnest(?::text[], ?::bigint[])
       ON CONFLICT (id) DO UPDATE SET until = excluded.until
         WHERE console_ended.until < excluded.until`,
      sessions.map(({ id }) => id),
      sessions.map(({ until }) => String(until)),
    );
    // Whoever ends one again makes nobody look for others.
    if (ended === 0) return;
    await this.#ask.run(`DELETE FROM console_ended WHERE until < ${SERVER_NOW} - ${CLOCKS_MS}`);
  }

  async hasEnded({ id, since }: AskedSession): Promise<boolean> {
    const found = await this.#ask.get(
      "SELECT id FROM console_ended WHERE id = ? OR (id = ? AND until > ?) LIMIT 1",
      id,
      EVERY_SESSION,
      since + SESSION_MS,
    );
    return found !== undefined;
  }

  async listEnded(most: number): Promise<readonly EndedSession[]> {
    const rows = await this.#ask.all(
      `SELECT id, until FROM console_ended WHERE until > ${SERVER_NOW} ORDER BY until DESC, id LIMIT ?`,
      most,
    );
    return rows.map(({ id, until }) => ({ id: id as string, until: until as number }));
  }

  async keepLink(
    { codeHash, rights }: { readonly codeHash: string; readonly rights: Rights },
    { lastsMs, most }: { readonly lastsMs: number; readonly most: number },
  ): Promise<void> {
    await this.#ask.run(
      `INSERT INTO console_links (code_hash, rights, until) VALUES (?, ?, ${SERVER_NOW} + ?::bigint)
       ON CONFLICT (code_hash) DO NOTHING`,
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

  /** It gets a name that no code has, and this taking alone knows: it finds the link again by that. */
  async takeLink(codeHash: string): Promise<Rights | undefined> {
    const row = await this.#ask.get(
      `UPDATE console_links SET code_hash = ?2, until = ${SERVER_NOW} + ${TAKEN_MS}
       WHERE (code_hash = ?1 AND until > ${SERVER_NOW}) OR code_hash = ?2 RETURNING rights`,
      codeHash,
      `taken ${crypto.randomUUID()}`,
    );
    return row && readRights(row.rights as string);
  }
}

/** `undefined` for what are no rights of this version: nobody comes in by them. */
function readRights(text: string): Rights | undefined {
  try {
    return keptRights.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
