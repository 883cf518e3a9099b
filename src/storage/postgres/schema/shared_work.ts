/**
 * Who sends a message, and whether an answer is to be given up that another process makes.
 *
 * @module
 */

/** Statements, in their order. */
export const SHARED_WORK: readonly string[] = [
  "ALTER TABLE webhook_messages ADD COLUMN sender bigint",
  `ALTER TABLE stored_responses ADD COLUMN cancel_wanted bigint NOT NULL DEFAULT 0
     CHECK (cancel_wanted IN (0, 1))`,
];
