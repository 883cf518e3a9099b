/**
 * Whose work answers in the background and messages are. Each statement is a transaction of its own.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { WebhookMessage } from "../../domain/webhook.ts";
import type { GivenUp, SharedAnswers, SharedMessages } from "../ports/shared_work.ts";
import type { AnswerName } from "../ports/storage.ts";
import type { Ask } from "./ask.ts";

/** Answers as this process's session sees them. */
export class PostgresSharedAnswers implements SharedAnswers {
  readonly #ask: Ask;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async sessionOf({ projectId, responseId }: AnswerName): Promise<SessionId | undefined> {
    const row = await this.#ask.get(
      "SELECT session_id FROM stored_responses WHERE id = ? AND project_id = ?",
      responseId,
      projectId,
    );
    return row?.session_id as SessionId | undefined;
  }

  async wishCancelled({ projectId, responseId }: AnswerName): Promise<void> {
    await this.#ask.run(
      "UPDATE stored_responses SET cancel_wanted = 1 WHERE id = ? AND project_id = ?",
      responseId,
      projectId,
    );
  }

  async givenUp(responseIds: readonly string[]): Promise<GivenUp> {
    const rows = await this.#ask.all(
      "SELECT id, cancel_wanted FROM stored_responses WHERE id = ANY(?)",
      responseIds,
    );
    const wanted = new Map(rows.map((row) => [row.id as string, row.cancel_wanted === 1]));
    return {
      cancelled: responseIds.filter((id) => wanted.get(id)),
      deleted: responseIds.filter((id) => !wanted.has(id)),
    };
  }
}

/** Of a session that does not live, or of none. */
export const IS_UNCLAIMED = `NOT EXISTS (SELECT 1 FROM node_sessions
  WHERE node_sessions.state = 'live' AND node_sessions.session_id = webhook_messages.sender)`;

/** Messages as this process's session sees them. */
export class PostgresSharedMessages implements SharedMessages {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#session = session;
  }

  async claim({ id, tries }: Pick<WebhookMessage, "id" | "tries">): Promise<boolean> {
    return await this.#ask.run(
      `UPDATE webhook_messages SET sender = ?2
       WHERE id = ?1 AND state = 'waiting' AND tries = ?3 AND (sender = ?2 OR ${IS_UNCLAIMED})
         AND EXISTS (SELECT 1 FROM node_sessions
           WHERE node_sessions.state = 'live' AND node_sessions.session_id = ?2)`,
      id,
      this.#session(),
      tries,
    ) === 1;
  }
}
