/**
 * The outbox and the signing secrets.
 *
 * @module
 */

import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { DueBounds, STORES } from "../ports/storage.ts";
import type { WebhookPage } from "../ports/webhook_pages.ts";
import { storableText } from "../rows/row_of.ts";
import { MESSAGE, SECRET } from "../rows/webhook_rows.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { given } from "./conditions.ts";
import { IS_UNCLAIMED } from "./shared_work.ts";

const MESSAGES = `SELECT ${MESSAGE.names} FROM webhook_messages`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresWebhookStore implements Asynchronous<typeof STORES.webhooks> {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param session Who does not look for what others are sending. */
  constructor(ask: Ask, session: () => SessionId = () => EARLIER_SESSION) {
    this.#ask = ask;
    this.#session = session;
  }

  /** Steps from project to project, so that the backlog of one costs the others nothing. */
  async due(
    untilMs: number,
    { most, perProject, after = "", skip = [] }: DueBounds,
  ): Promise<readonly WebhookMessage[]> {
    const rows: AskedRow[] = [];
    const skipped = new Set(skip);
    for await (const project of this.#projectsInTurn(after)) {
      if (skipped.has(project)) continue;
      const found = await this.#ask.all(
        `${MESSAGES} WHERE state = 'waiting' AND project_id = ? AND next_at <= ?
           AND (sender = ? OR ${IS_UNCLAIMED})
         ORDER BY next_at, id LIMIT ?`,
        project,
        untilMs,
        this.#session(),
        perProject,
      );
      rows.push(...found);
      if (rows.length >= most) break;
    }
    return rows.slice(0, most).map((row) => MESSAGE.read(row));
  }

  async nextDueAt(afterMs: number): Promise<number | undefined> {
    const row = await this.#ask.get(
      `SELECT next_at FROM webhook_messages WHERE state = 'waiting' AND next_at > ?
       ORDER BY next_at LIMIT 1`,
      afterMs,
    );
    return row?.next_at as number | undefined;
  }

  async secret(projectId: string): Promise<WebhookSecret | undefined> {
    const sql = `SELECT ${SECRET.names} FROM webhook_secrets WHERE project_id = ?`;
    return SECRET.readIfAny(await this.#ask.get(sql, projectId));
  }

  async find(messageId: string): Promise<WebhookMessage | undefined> {
    return MESSAGE.readIfAny(await this.#ask.get(`${MESSAGES} WHERE id = ?`, messageId));
  }

  async ofVideo(videoId: string): Promise<WebhookMessage | undefined> {
    const sql = `${MESSAGES} WHERE video_id = ? ORDER BY place DESC LIMIT 1`;
    return MESSAGE.readIfAny(await this.#ask.get(sql, videoId));
  }

  async list({ projectId, state, after, limit }: WebhookPage): Promise<readonly WebhookMessage[]> {
    const conditions = given(["project_id = ?", projectId], ["state = ?", state]);
    const rows = await this.#ask.all(
      `${MESSAGES} WHERE ${conditions.sql} AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...conditions.values,
      after?.createdAt ?? Number.MAX_SAFE_INTEGER,
      after?.id ?? "",
      limit,
    );
    return rows.map((row) => MESSAGE.read(row));
  }

  /** Adds a message. Rejects when it exists. */
  async insert(message: WebhookMessage): Promise<void> {
    await this.#ask.run(MESSAGE.insertInto("webhook_messages"), ...MESSAGE.values(message));
  }

  /** Notes a try; `false` unless the message waits after one try less. */
  async noteTry(message: WebhookMessage): Promise<boolean> {
    const { id, tries, state, nextAt, lastError, lastTries } = message;
    return await this.#ask.run(
      `UPDATE webhook_messages
       SET tries = ?2, state = ?3, next_at = ?4, last_error = ?5, last_tries = ?6,
         sender = NULL
       WHERE id = ?1 AND tries + 1 = ?2 AND state = 'waiting'`,
      id,
      tries,
      state,
      nextAt,
      lastError === undefined ? null : storableText(lastError),
      JSON.stringify(lastTries),
    ) === 1;
  }

  /** Lets a message wait again, with all tries of a round; `false` where there is none. */
  async resend(messageId: string, at: number): Promise<boolean> {
    return await this.#ask.run(
      "UPDATE webhook_messages SET state = 'waiting', next_at = ?, round_from = tries WHERE id = ?",
      at,
      messageId,
    ) === 1;
  }

  /** Replaces a project's secret. Rejects when there is no such project. */
  async putSecret(secret: WebhookSecret): Promise<void> {
    await this.#ask.run(
      `${SECRET.insertInto("webhook_secrets")}
       ON CONFLICT (project_id) DO UPDATE SET ${SECRET.replacements}`,
      ...SECRET.values(secret),
    );
  }

  /** Removes messages that wait no more and whose last try was before this time; gives how many. */
  async forgetDone(beforeMs: number, limit: number): Promise<number> {
    return await this.#ask.run(
      `DELETE FROM webhook_messages WHERE id IN (
         SELECT id FROM webhook_messages WHERE state <> 'waiting' AND next_at < ?
         ORDER BY next_at, id LIMIT ?)`,
      beforeMs,
      limit,
    );
  }

  /** Every project with a waiting message, once: those behind this one, then the others. */
  async *#projectsInTurn(after: string): AsyncGenerator<string> {
    for (let next = await this.#projectAfter(after); next !== undefined;) {
      yield next;
      next = await this.#projectAfter(next);
    }
    for (let next = await this.#projectAfter(""); next !== undefined && next <= after;) {
      yield next;
      next = await this.#projectAfter(next);
    }
  }

  async #projectAfter(projectId: string): Promise<string | undefined> {
    const row = await this.#ask.get(
      `SELECT project_id FROM webhook_messages WHERE state = 'waiting' AND project_id > ?
       ORDER BY project_id LIMIT 1`,
      projectId,
    );
    return row?.project_id as string | undefined;
  }
}
