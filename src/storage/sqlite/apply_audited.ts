/**
 * Changes of administration with their row in the audit log: all or nothing.
 *
 * @module
 */

import type { AuditFields, AuditNote } from "../../domain/audit.ts";
import { formatAmount } from "../../domain/money.ts";
import type { AuditedEntry, Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAuditStore } from "./audit_store.ts";
import type { Batch } from "./batch.ts";
import { demand, DONE } from "../entries/entry_results.ts";

/**
 * Applies the changes in their order, then notes them. A repeated credit changes
 * nothing, so nothing is noted.
 *
 * @throws {EntryRefused} If a change behind the first one is refused.
 */
export function applyAudited(
  batch: Batch,
  { changes, note }: AuditedEntry,
  { audit, apply }: {
    readonly audit: SqliteAuditStore;
    readonly apply: (change: Entry) => EntryResult;
  },
): EntryResult {
  const [first, ...others] = changes;
  const before = balanceFor(first, batch);
  let result = apply(first);
  if (!result.ok || result.repeated === true) return result;
  for (const change of others) {
    const next = apply(change);
    demand(next);
    if (next !== DONE) result = next;
  }
  const after = balanceFor(first, batch);
  audit.append(before && after ? withBalance(note, before, after) : note);
  return result;
}

/** A credit's balance is known for certain here alone: calls go on all the time. */
function balanceFor(change: Entry, batch: Batch): AuditFields | undefined {
  if (change.kind !== "credit") return undefined;
  const purse = batch.balance(change.projectId);
  return purse && { balance: formatAmount(purse.avail + purse.held) };
}

function withBalance(note: AuditNote, before: AuditFields, after: AuditFields): AuditNote {
  return { ...note, before: { ...note.before, ...before }, after: { ...note.after, ...after } };
}
