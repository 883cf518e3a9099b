/**
 * Applies one entry inside the running transaction.
 *
 * @module
 */

import { conflict } from "../entries/entry_results.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { Appliers } from "./applier.ts";
import { ACCOUNT_APPLIERS, applyAudited, applyCredit } from "./apply_account.ts";
import { CALL_APPLIERS } from "./apply_call.ts";
import { KEPT_APPLIERS } from "./apply_kept.ts";
import { VIDEO_APPLIERS } from "./apply_video.ts";
import type { Ask } from "./ask.ts";
import type { Batch } from "./batch.ts";
import type { PostgresStores } from "./stores.ts";

const NO_ARCHIVES = conflict("Archives are files of a data dir: a server keeps all its calls");

/** Those that look at no row which a call's entry has made. */
const READ_NO_CALLS: ReadonlySet<Entry["kind"]> = new Set(
  Object.keys(CALL_APPLIERS) as (keyof typeof CALL_APPLIERS)[],
);

/** How entries are applied by statements of one connection. */
export class EntryApplier {
  readonly #stores: PostgresStores;
  readonly #appliers: Appliers<Entry["kind"]>;

  constructor(ask: Ask, stores: PostgresStores) {
    this.#stores = stores;
    this.#appliers = {
      ...CALL_APPLIERS,
      ...ACCOUNT_APPLIERS,
      ...KEPT_APPLIERS,
      ...VIDEO_APPLIERS,
      credit: (batch, credit) => applyCredit(batch, credit, ask),
      record_checkpoint: () => Promise.resolve(NO_ARCHIVES),
      drop_archived: () => Promise.resolve({ ok: true, hasMore: false }),
      backfill_details: () => Promise.resolve({ ok: true, hasMore: false }),
      audited: (batch, entry, { audit }) =>
        applyAudited(batch, entry, { audit, apply: (change) => this.#one(batch, change) }),
    };
  }

  /** The result of an entry, which tells what projects keep then, where it has changed that. */
  async apply(batch: Batch, entry: Entry): Promise<EntryResult> {
    const { kept } = this.#stores;
    kept.begin();
    const result = await this.#one(batch, entry);
    const { changes } = kept;
    return changes === undefined || !result.ok ? result : { ...result, kept: changes };
  }

  async #one(batch: Batch, entry: Entry): Promise<EntryResult> {
    if (!READ_NO_CALLS.has(entry.kind)) await batch.flush();
    return await this.#appliers[entry.kind](batch, entry as never, this.#stores);
  }
}
