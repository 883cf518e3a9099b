/**
 * Applies one entry inside the running transaction.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { Appliers, EntryStores } from "./applier.ts";
import { ACCOUNT_APPLIERS } from "./apply_account.ts";
import { ANSWER_APPLIERS } from "./apply_answer.ts";
import { applyAudited } from "./apply_audited.ts";
import { BATCH_APPLIERS } from "./apply_batch.ts";
import { CALL_APPLIERS } from "./apply_call.ts";
import { CHECKPOINT_APPLIERS } from "./apply_checkpoint.ts";
import { REFUSAL_APPLIERS } from "./apply_refusals.ts";
import { RESPONSE_APPLIERS } from "./apply_response.ts";
import { TOKEN_APPLIERS } from "./apply_token.ts";
import { UPLOAD_APPLIERS } from "./apply_upload.ts";
import { VIDEO_APPLIERS } from "./apply_video.ts";
import { WEBHOOK_APPLIERS } from "./apply_webhook.ts";
import type { Batch } from "./batch.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

const ALONE = conflict("Nobody else has any of the balances of a file");

const APPLIERS: Appliers<Entry["kind"]> = {
  ...CALL_APPLIERS,
  ...ACCOUNT_APPLIERS,
  ...ANSWER_APPLIERS,
  ...RESPONSE_APPLIERS,
  ...BATCH_APPLIERS,
  ...TOKEN_APPLIERS,
  ...UPLOAD_APPLIERS,
  ...VIDEO_APPLIERS,
  ...WEBHOOK_APPLIERS,
  ...CHECKPOINT_APPLIERS,
  ...REFUSAL_APPLIERS,
  write_catalogue: (_batch, { catalogue, at }, stores) => ({
    ok: true,
    catalogue: stores.catalogue.write(catalogue, at),
  }),
  switch_route: (_batch, { routeId, ...switches }, { catalogue }) =>
    catalogue.switchRoute(routeId, switches) ? DONE : missing("route", routeId),
  lease: () => ALONE,
  give_back: () => ALONE,
  audited: (batch, entry, stores) =>
    applyAudited(batch, entry, {
      audit: stores.audit,
      apply: (change) => applyEntry(batch, change, stores),
    }),
};

/** Those that look at no row of the ledger which another entry has made. */
const READ_NO_LEDGER: ReadonlySet<Entry["kind"]> = new Set(
  Object.keys(CALL_APPLIERS) as (keyof typeof CALL_APPLIERS)[],
);

/** The result of an entry: see {@linkcode Appliers}. */
export function applyEntry(batch: Batch, entry: Entry, stores: EntryStores): EntryResult {
  if (!READ_NO_LEDGER.has(entry.kind)) batch.writeLedger();
  return APPLIERS[entry.kind](batch, entry as never, stores);
}
