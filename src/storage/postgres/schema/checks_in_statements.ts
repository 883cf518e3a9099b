/**
 * The rows that every batch writes are checked by the statement that writes them (`sound_rows.ts`), of which
 * the server keeps the plan. A constraint of a table it reads anew from its text for each statement: those of
 * `calls`, `ledger` and `node_sessions` were a third of what it did for a batch of one call.
 *
 * What is about money that may be spent, `leases` and `projects`, is the tables' own as before.
 *
 * @module
 */

/** One statement each. Engines that name constraints in another way keep theirs. */
export const CHECKS_IN_STATEMENTS: readonly string[] = [
  `ALTER TABLE calls
  DROP CONSTRAINT IF EXISTS calls_attempts_check,
  DROP CONSTRAINT IF EXISTS calls_cache_write_tokens_check,
  DROP CONSTRAINT IF EXISTS calls_cached_tokens_check,
  DROP CONSTRAINT IF EXISTS calls_call_id_check,
  DROP CONSTRAINT IF EXISTS calls_charged_e8_check,
  DROP CONSTRAINT IF EXISTS calls_check,
  DROP CONSTRAINT IF EXISTS calls_check1,
  DROP CONSTRAINT IF EXISTS calls_check2,
  DROP CONSTRAINT IF EXISTS calls_check3,
  DROP CONSTRAINT IF EXISTS calls_check4,
  DROP CONSTRAINT IF EXISTS calls_check5,
  DROP CONSTRAINT IF EXISTS calls_check6,
  DROP CONSTRAINT IF EXISTS calls_check7,
  DROP CONSTRAINT IF EXISTS calls_check8,
  DROP CONSTRAINT IF EXISTS calls_closed_at_check,
  DROP CONSTRAINT IF EXISTS calls_completion_tokens_check,
  DROP CONSTRAINT IF EXISTS calls_cost_e8_check,
  DROP CONSTRAINT IF EXISTS calls_first_byte_ms_check,
  DROP CONSTRAINT IF EXISTS calls_further_check,
  DROP CONSTRAINT IF EXISTS calls_held_e8_check,
  DROP CONSTRAINT IF EXISTS calls_images_check,
  DROP CONSTRAINT IF EXISTS calls_loss_e8_check,
  DROP CONSTRAINT IF EXISTS calls_opened_at_check,
  DROP CONSTRAINT IF EXISTS calls_price_version_check,
  DROP CONSTRAINT IF EXISTS calls_prompt_tokens_check,
  DROP CONSTRAINT IF EXISTS calls_reasoning_tokens_check,
  DROP CONSTRAINT IF EXISTS calls_request_id_check,
  DROP CONSTRAINT IF EXISTS calls_sale_e8_check,
  DROP CONSTRAINT IF EXISTS calls_state_check,
  DROP CONSTRAINT IF EXISTS calls_stream_check,
  DROP CONSTRAINT IF EXISTS calls_unlimited_check`,
  `ALTER TABLE ledger
  DROP CONSTRAINT IF EXISTS ledger_amount_e8_check,
  DROP CONSTRAINT IF EXISTS ledger_at_check,
  DROP CONSTRAINT IF EXISTS ledger_balance_after_e8_check,
  DROP CONSTRAINT IF EXISTS ledger_book_check,
  DROP CONSTRAINT IF EXISTS ledger_check,
  DROP CONSTRAINT IF EXISTS ledger_check1,
  DROP CONSTRAINT IF EXISTS ledger_check2,
  DROP CONSTRAINT IF EXISTS ledger_check3,
  DROP CONSTRAINT IF EXISTS ledger_kind_check,
  DROP CONSTRAINT IF EXISTS ledger_seq_check`,
  `ALTER TABLE node_sessions
  DROP CONSTRAINT IF EXISTS node_sessions_batch_no_check,
  DROP CONSTRAINT IF EXISTS node_sessions_heir_check,
  DROP CONSTRAINT IF EXISTS node_sessions_session_id_check,
  DROP CONSTRAINT IF EXISTS node_sessions_slot_check,
  DROP CONSTRAINT IF EXISTS node_sessions_state_check`,
];
