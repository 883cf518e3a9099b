/**
 * Work of one of several processes that use one database, of which the others know: answers that are made
 * in the background, and messages that are sent.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { WebhookMessage } from "../../domain/webhook.ts";
import type { AnswerName } from "./storage.ts";

/** What others say of answers that are being made here, by their ids. */
export interface GivenUp {
  readonly cancelled: readonly string[];
  readonly deleted: readonly string[];
}

/** Answers in the background. */
export interface SharedAnswers {
  /** Whose work an answer is, or was; `undefined` where there is none. */
  sessionOf(name: AnswerName): Promise<SessionId | undefined>;
  /** Has whoever makes it give it up. */
  wishCancelled(name: AnswerName): Promise<void>;
  /** Which of these others have cancelled or deleted. */
  givenUp(responseIds: readonly string[]): Promise<GivenUp>;
}

/** Messages of the outbox. */
export interface SharedMessages {
  /**
   * Makes the next try of a message, behind so many, this session's, unless it is a living one's: whether it
   * is.
   */
  claim(message: Pick<WebhookMessage, "id" | "tries">): Promise<boolean>;
}
