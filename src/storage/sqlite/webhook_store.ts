/**
 * The outbox and the signing secrets as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { WebhookEvent, WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { DueBounds, STORES } from "../ports/storage.ts";
import { storableText } from "./storable_text.ts";

const MESSAGE_COLUMNS =
  "id, project_id, event, video_id, url, created_at, tries, state, next_at, last_error";

interface MessageRow {
  readonly id: string;
  readonly project_id: string;
  readonly event: WebhookEvent;
  readonly video_id: string;
  readonly url: string;
  readonly created_at: number;
  readonly tries: number;
  readonly state: WebhookMessage["state"];
  readonly next_at: number;
  readonly last_error: string | null;
}

interface SecretRow {
  readonly project_id: string;
  readonly secret: string;
  readonly created_at: number;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteWebhookStore implements Synchronous<typeof STORES.webhooks> {
  readonly #nextProject: StatementSync;
  readonly #due: StatementSync;
  readonly #nextDue: StatementSync;
  readonly #find: StatementSync;
  readonly #secret: StatementSync;
  readonly #insert: StatementSync;
  readonly #noteTry: StatementSync;
  readonly #putSecret: StatementSync;
  readonly #forgetDone: StatementSync;

  constructor(database: DatabaseSync) {
    this.#nextProject = database.prepare(
      `SELECT project_id FROM webhook_messages INDEXED BY webhook_messages_by_project
       WHERE state = 'waiting' AND project_id > ? ORDER BY project_id LIMIT 1`,
    );
    this.#due = database.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM webhook_messages INDEXED BY webhook_messages_by_project
       WHERE state = 'waiting' AND project_id = ? AND next_at <= ? ORDER BY next_at, id LIMIT ?`,
    );
    this.#nextDue = database.prepare(
      `SELECT next_at FROM webhook_messages INDEXED BY webhook_messages_waiting
       WHERE state = 'waiting' AND next_at > ? ORDER BY next_at LIMIT 1`,
    );
    this.#find = database.prepare(`SELECT ${MESSAGE_COLUMNS} FROM webhook_messages WHERE id = ?`);
    this.#secret = database.prepare(
      `SELECT project_id, secret, created_at, previous_secret, previous_until
       FROM webhook_secrets WHERE project_id = ?`,
    );
    this.#insert = database.prepare(
      `INSERT INTO webhook_messages (${MESSAGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#noteTry = database.prepare(
      `UPDATE webhook_messages SET tries = ?2, state = ?3, next_at = ?4, last_error = ?5
       WHERE id = ?1 AND tries = ?2 - 1 AND state = 'waiting'`,
    );
    this.#putSecret = database.prepare(
      `INSERT INTO webhook_secrets
         (project_id, secret, created_at, previous_secret, previous_until)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (project_id) DO UPDATE SET
         secret = excluded.secret,
         created_at = excluded.created_at,
         previous_secret = excluded.previous_secret,
         previous_until = excluded.previous_until`,
    );
    this.#forgetDone = database.prepare(
      `DELETE FROM webhook_messages WHERE rowid IN (
         SELECT rowid FROM webhook_messages INDEXED BY webhook_messages_done
         WHERE state <> 'waiting' AND next_at < ? ORDER BY next_at LIMIT ?)`,
    );
  }

  /** Steps from project to project, so that the backlog of one costs the others nothing. */
  due(
    untilMs: number,
    { most, perProject, after = "", skip = [] }: DueBounds,
  ): readonly WebhookMessage[] {
    const rows: MessageRow[] = [];
    const skipped = new Set(skip);
    for (const project of this.#projectsInTurn(after)) {
      if (skipped.has(project)) continue;
      rows.push(...this.#due.all(project, untilMs, perProject) as unknown as MessageRow[]);
      if (rows.length >= most) break;
    }
    return rows.slice(0, most).map(messageFromRow);
  }

  nextDueAt(afterMs: number): number | undefined {
    return this.#nextDue.get(afterMs)?.next_at as number | undefined;
  }

  secret(projectId: string): WebhookSecret | undefined {
    const row = this.#secret.get(projectId) as unknown as SecretRow | undefined;
    return row === undefined ? undefined : secretFromRow(row);
  }

  /** A message of any state; `undefined` if there is none. */
  find(messageId: string): WebhookMessage | undefined {
    const row = this.#find.get(messageId) as unknown as MessageRow | undefined;
    return row === undefined ? undefined : messageFromRow(row);
  }

  /** Adds a message. Throws when it exists. */
  insert(message: WebhookMessage): void {
    this.#insert.run(
      message.id,
      message.projectId,
      message.event,
      message.videoId,
      message.url,
      message.createdAt,
      message.tries,
      message.state,
      message.nextAt,
      errorText(message),
    );
  }

  /** Notes a try; `false` unless the message waits after one try less. */
  noteTry(message: WebhookMessage): boolean {
    const { id, tries, state, nextAt } = message;
    return this.#noteTry.run(id, tries, state, nextAt, errorText(message)).changes === 1;
  }

  /** Replaces a project's secret. Throws when there is no such project. */
  putSecret({ projectId, secret, createdAt, previous }: WebhookSecret): void {
    this.#putSecret.run(
      projectId,
      secret,
      createdAt,
      previous?.secret ?? null,
      previous?.until ?? null,
    );
  }

  /** Removes messages that wait no more and whose last try was before this time; gives how many. */
  forgetDone(beforeMs: number, limit: number): number {
    return Number(this.#forgetDone.run(beforeMs, limit).changes);
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
    return this.#nextProject.get(projectId)?.project_id as string | undefined;
  }
}

function errorText({ lastError }: WebhookMessage): string | null {
  return lastError === undefined ? null : storableText(lastError);
}

function messageFromRow(row: MessageRow): WebhookMessage {
  return {
    id: row.id,
    projectId: row.project_id,
    event: row.event,
    videoId: row.video_id,
    url: row.url,
    createdAt: row.created_at,
    tries: row.tries,
    state: row.state,
    nextAt: row.next_at,
    lastError: row.last_error ?? undefined,
  };
}

function secretFromRow(row: SecretRow): WebhookSecret {
  return {
    projectId: row.project_id,
    secret: row.secret,
    createdAt: row.created_at,
    previous: row.previous_secret === null
      ? undefined
      : { secret: row.previous_secret, until: row.previous_until! },
  };
}
