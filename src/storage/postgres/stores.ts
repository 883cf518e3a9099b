/**
 * Every store over one way to ask.
 *
 * @module
 */

import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { KeyClaim } from "../ports/key_claims.ts";
import { PostgresAccountStore } from "./account_store.ts";
import { PostgresAnswerStore } from "./answer_store.ts";
import type { Ask } from "./ask.ts";
import { PostgresAuditStore } from "./audit_store.ts";
import { PostgresBatchStore } from "./batch_store.ts";
import { PostgresCachedAnswerStore } from "./cached_answer_store.ts";
import { PostgresCallStore } from "./call_store.ts";
import { PostgresCatalogueStore } from "./catalogue_store.ts";
import { PostgresCheckpointStore } from "./checkpoint_store.ts";
import { forgetEndedClaims, takeClaim } from "./key_claims.ts";
import { PostgresKeptStore } from "./kept_store.ts";
import { PostgresLedgerStore } from "./ledger_store.ts";
import { PostgresRefusalStore } from "./refusal_store.ts";
import { PostgresResponseStore } from "./response_store.ts";
import { PostgresSessionStore } from "./session_store.ts";
import { PostgresSpendStore } from "./spend_store.ts";
import { PostgresSumStore } from "./sum_store.ts";
import { PostgresTokenStore } from "./token_store.ts";
import { PostgresUploadStore } from "./upload_store.ts";
import { PostgresVideoStore } from "./video_store.ts";
import { PostgresWebhookStore } from "./webhook_store.ts";

/** The stores of a database. */
export type PostgresStores = ReturnType<typeof createStores>;

/** @param session Whose is what is written; whoever only reads has none. */
export function createStores(ask: Ask, session: () => SessionId = () => EARLIER_SESSION) {
  const kept = new PostgresKeptStore(ask);
  return {
    accounts: new PostgresAccountStore(ask),
    answers: new PostgresAnswerStore(ask, kept),
    audit: new PostgresAuditStore(ask),
    batches: new PostgresBatchStore(ask, session),
    cached: new PostgresCachedAnswerStore(ask),
    calls: new PostgresCallStore(ask),
    claims: {
      forgetEnded: (limit: number) => forgetEndedClaims(ask, limit),
      take: (claim: KeyClaim) => takeClaim(ask, claim, session()),
    },
    catalogue: new PostgresCatalogueStore(ask),
    checkpoints: new PostgresCheckpointStore(ask),
    kept,
    ledger: new PostgresLedgerStore(ask),
    refusals: new PostgresRefusalStore(ask),
    responses: new PostgresResponseStore(ask, { kept, session }),
    sessions: new PostgresSessionStore(ask, session),
    spending: new PostgresSpendStore(ask),
    sums: new PostgresSumStore(ask),
    tokens: new PostgresTokenStore(ask),
    uploads: new PostgresUploadStore(ask),
    videos: new PostgresVideoStore(ask, session),
    webhooks: new PostgresWebhookStore(ask, session),
  };
}
