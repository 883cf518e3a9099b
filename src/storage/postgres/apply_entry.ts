/**
 * Applies one entry inside the running transaction.
 *
 * @module
 */

import { conflict } from "../entries/entry_results.ts";
import type { SessionId } from "../../domain/session.ts";
import type { ConfigurationStep } from "../ports/configuration.ts";
import type { Entry, EntryResult, Refusal } from "../ports/entry.ts";
import type { Appliers } from "./applier.ts";
import { ACCOUNT_APPLIERS, applyAudited, applyCredit } from "./apply_account.ts";
import { CALL_APPLIERS } from "./apply_call.ts";
import { lateClose } from "./apply_late.ts";
import { applyGiveBack, applyLease } from "./apply_lease.ts";
import { KEPT_APPLIERS } from "./apply_kept.ts";
import { applyGiveUp, applyRestore, applyRunArchive } from "./apply_run_archive.ts";
import { VIDEO_APPLIERS } from "./apply_video.ts";
import type { Ask } from "./ask.ts";
import type { Batch } from "./batch.ts";
import { changesOf, PostgresConfigurationStore } from "./configuration_store.ts";
import type { PostgresStores } from "./stores.ts";

const NO_ARCHIVES = conflict("Checkpoints are a file's: a server has archives of its sealed runs");

const OUTDATED: Refusal = Object.freeze({
  ok: false,
  reason: "outdated",
  message: "Another node has changed the configuration meanwhile",
});

/** Those that look at no row which a call's entry has made. */
const READ_NO_CALLS: ReadonlySet<Entry["kind"]> = new Set(
  Object.keys(CALL_APPLIERS) as (keyof typeof CALL_APPLIERS)[],
);

/** How entries are applied by statements of one connection. */
export class EntryApplier {
  readonly #stores: PostgresStores;
  readonly #configuration: PostgresConfigurationStore;
  readonly #appliers: Appliers<Entry["kind"]>;

  /** @param lateFor The ended session whose calls these are; absent: the writer's own. */
  constructor(ask: Ask, stores: PostgresStores, lateFor?: SessionId) {
    this.#stores = stores;
    this.#configuration = new PostgresConfigurationStore(ask);
    this.#appliers = {
      ...CALL_APPLIERS,
      ...ACCOUNT_APPLIERS,
      ...KEPT_APPLIERS,
      ...VIDEO_APPLIERS,
      ...(lateFor !== undefined && { close: lateClose(lateFor) }),
      credit: (batch, credit) => applyCredit(batch, credit, ask),
      lease: applyLease,
      give_back: applyGiveBack,
      record_checkpoint: () => Promise.resolve(NO_ARCHIVES),
      record_run_archive: (batch, entry) => applyRunArchive(batch, entry, ask),
      give_up_run_archive: (batch, entry) => applyGiveUp(batch, entry, ask),
      restore_run_archive: (_batch, entry) => applyRestore(entry, ask),
      drop_archived: () => Promise.resolve({ ok: true, hasMore: false }),
      backfill_details: () => Promise.resolve({ ok: true, hasMore: false }),
      audited: (batch, entry, { audit }) =>
        applyAudited(batch, entry, { audit, apply: (change) => this.#one(batch, change) }),
    };
  }

  /**
   * The result of an entry, which tells what projects keep then and which step the configuration has
   * taken, where it has changed that.
   */
  async apply(batch: Batch, entry: Entry): Promise<EntryResult> {
    if (await this.#isOutdated(batch, entry)) return OUTDATED;
    const { kept } = this.#stores;
    kept.begin();
    const result = await this.#one(batch, entry);
    if (!result.ok) return result;
    const { changes } = kept;
    const configuration = await this.#noteChanges(batch, entry);
    return changes === undefined && configuration === undefined ? result : {
      ...result,
      ...(changes !== undefined && { kept: changes }),
      ...(configuration !== undefined && { configuration }),
    };
  }

  async #isOutdated({ configuration, session }: Batch, entry: Entry): Promise<boolean> {
    const decidedOn = entry.kind === "audited" ? entry.decidedOn : undefined;
    if (decidedOn === undefined || decidedOn === configuration) return false;
    return await this.#configuration.isChangedByOthers(decidedOn, session);
  }

  async #noteChanges(batch: Batch, entry: Entry): Promise<ConfigurationStep | undefined> {
    const changes = changesOf(entry);
    if (changes.length === 0) return undefined;
    const before = batch.configuration!;
    const after = await this.#configuration.note(changes, {
      after: before,
      session: batch.session,
    });
    batch.configuration = after;
    return { before, after };
  }

  async #one(batch: Batch, entry: Entry): Promise<EntryResult> {
    if (!READ_NO_CALLS.has(entry.kind)) await batch.flush();
    return await this.#appliers[entry.kind](batch, entry as never, this.#stores);
  }
}
