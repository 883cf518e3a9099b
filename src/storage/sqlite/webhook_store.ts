/**
 * The outbox and the signing secrets as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { DueBounds, STORES } from "../ports/storage.ts";
import { storableText } from "../rows/row_of.ts";
import { prepareAll } from "./statements.ts";
import type { WebhookPage } from "../ports/webhook_pages.ts";
import { MESSAGE, SECRET } from "../rows/webhook_rows.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteWebhookStore implements Synchronous<typeof STORES.webhooks> {
  readonly #sql;

  constructor(database: DatabaseSync) {
    const page = (index: string, wanted: string) =>
      `SELECT ${MESSAGE.names} FROM webhook_messages INDEXED BY ${index}
        WHERE ${wanted} (created_at, id) < (?1, ?2) AND (?3 IS NULL OR state = ?3)
        ORDER BY created_at DESC, id DESC LIMIT ?4`;
    this.#sql = prepareAll(database, {
      nextProject: `SELECT project_id FROM webhook_messages INDEXED BY webhook_messages_by_project
        WHERE state = 'waiting' AND project_id > ? ORDER BY project_id LIMIT 1`,
      due: `SELECT ${MESSAGE.names} FROM webhook_messages INDEXED BY webhook_messages_by_project
        WHERE state = 'waiting' AND project_id = ? AND next_at <= ? ORDER BY next_at, id LIMIT ?`,
      nextDue: `SELECT next_at FROM webhook_messages INDEXED BY webhook_messages_waiting
        WHERE state = 'waiting' AND next_at > ? ORDER BY next_at LIMIT 1`,
      find: `SELECT ${MESSAGE.names} FROM webhook_messages WHERE id = ?`,
      secret: `SELECT ${SECRET.names} FROM webhook_secrets WHERE project_id = ?`,
      insert: MESSAGE.insertInto("webhook_messages"),
      ofVideo: `SELECT ${MESSAGE.names} FROM webhook_messages INDEXED BY webhook_messages_by_video
        WHERE video_id = ? ORDER BY rowid DESC LIMIT 1`,
      list: page("webhook_messages_listed", ""),
      ofProject: page("webhook_messages_of_project", "project_id = ?5 AND"),
      noteTry: `UPDATE webhook_messages
        SET tries = ?2, state = ?3, next_at = ?4, last_error = ?5, last_tries = ?6
        WHERE id = ?1 AND tries = ?2 - 1 AND state = 'waiting'`,
      resend: `UPDATE webhook_messages SET state = 'waiting', next_at = ?2, round_from = tries
        WHERE id = ?1`,
      putSecret: `${SECRET.insertInto("webhook_secrets")}
        ON CONFLICT (project_id) DO UPDATE SET ${SECRET.replacements}`,
      forgetDone: `DELETE FROM webhook_messages WHERE rowid IN (
        SELECT rowid FROM webhook_messages INDEXED BY webhook_messages_done
        WHERE state <> 'waiting' AND next_at < ? ORDER BY next_at LIMIT ?)`,
    });
  }

  /** Steps from project to project, so that the backlog of one costs the others nothing. */
  due(
    untilMs: number,
    { most, perProject, after = "", skip = [] }: DueBounds,
  ): readonly WebhookMessage[] {
    const rows: unknown[] = [];
    const skipped = new Set(skip);
    for (const project of this.#projectsInTurn(after)) {
      if (skipped.has(project)) continue;
      rows.push(...this.#sql.due.all(project, untilMs, perProject));
      if (rows.length >= most) break;
    }
    return rows.slice(0, most).map((row) => MESSAGE.read(row));
  }

  nextDueAt(afterMs: number): number | undefined {
    return this.#sql.nextDue.get(afterMs)?.next_at as number | undefined;
  }

  secret(projectId: string): WebhookSecret | undefined {
    return SECRET.readIfAny(this.#sql.secret.get(projectId));
  }

  find(messageId: string): WebhookMessage | undefined {
    return MESSAGE.readIfAny(this.#sql.find.get(messageId));
  }

  ofVideo(videoId: string): WebhookMessage | undefined {
    return MESSAGE.readIfAny(this.#sql.ofVideo.get(videoId));
  }

  list({ projectId, state, after, limit }: WebhookPage): readonly WebhookMessage[] {
    const from = [after?.createdAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? ""] as const;
    const rows = projectId === undefined
      ? this.#sql.list.all(...from, state ?? null, limit)
      : this.#sql.ofProject.all(...from, state ?? null, limit, projectId);
    return rows.map((row) => MESSAGE.read(row));
  }

  /** Adds a message. Throws when it exists. */
  insert(message: WebhookMessage): void {
    this.#sql.insert.run(...MESSAGE.values(message));
  }

  /** Notes a try; `false` unless the message waits after one try less. */
  noteTry(message: WebhookMessage): boolean {
    const { id, tries, state, nextAt, lastError, lastTries } = message;
    const error = lastError === undefined ? null : storableText(lastError);
    const last = JSON.stringify(lastTries);
    return this.#sql.noteTry.run(id, tries, state, nextAt, error, last).changes === 1;
  }

  /** Lets a message wait again, with all tries of a round; `false` where there is none. */
  resend(messageId: string, at: number): boolean {
    return this.#sql.resend.run(messageId, at).changes === 1;
  }

  /** Replaces a project's secret. Throws when there is no such project. */
  putSecret(secret: WebhookSecret): void {
    this.#sql.putSecret.run(...SECRET.values(secret));
  }

  /** Removes messages that wait no more and whose last try was before this time; gives how many. */
  forgetDone(beforeMs: number, limit: number): number {
    return Number(this.#sql.forgetDone.run(beforeMs, limit).changes);
  }

  /** Every project with a waiting message, once: those behind this one, then the others. */
  *#projectsInTurn(after: string): Iterable<string> {
    for (let next = this.#projectAfter(after); next !== undefined;) {
      yield next;
      next = this.#projectAfter(next);
    }
    for (let next = this.#projectAfter(""); next !== undefined && next <= after;) {
      yield next;
      next = this.#projectAfter(next);
    }
  }

  #projectAfter(projectId: string): string | undefined {
    return this.#sql.nextProject.get(projectId)?.project_id as string | undefined;
  }
}
