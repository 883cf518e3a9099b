/**
 * Commits a change: first to disk, and only what is on disk becomes live. There
 * is no other way for an operation to write, and none without its row in the
 * audit log.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { AuditedEntry, EntryResult } from "../../storage/ports/entry.ts";
import { type ChangeWords, isUnchanged, noteOf } from "./audit_note.ts";
import type { AdminDeps } from "./deps.ts";

/** What is written, all or nothing, and what the audit log is told of it. */
export interface AuditedChange extends ChangeWords {
  readonly entries: AuditedEntry["changes"];
}

/** What to tell the operator when storage refuses a change for its state's sake. */
export interface Refusals {
  readonly conflict?: string;
  readonly missing?: string;
}

/**
 * Writes a change with its row in the audit log and waits until both are synced.
 *
 * @throws {GatewayError} `conflict`, `not_found`, `storage_full` or `internal_error`.
 */
export async function commitChange(
  deps: Pick<AdminDeps, "commits" | "clock" | "origin" | "act">,
  { entries, ...words }: AuditedChange,
  refusals: Refusals = {},
): Promise<EntryResult & { readonly ok: true }> {
  const entry: AuditedEntry = { kind: "audited", changes: entries, note: noteOf(deps, words) };
  return accept(await deps.commits.commit(entry), refusals);
}

/**
 * Writes a change of something that is there already, as {@linkcode commitChange}; where
 * both sides are the same, nothing is written or noted.
 *
 * @returns Whether they differ.
 */
export async function commitDifference(
  deps: Parameters<typeof commitChange>[0],
  change: AuditedChange & Required<Pick<ChangeWords, "before" | "after">>,
  refusals?: Refusals,
): Promise<boolean> {
  if (isUnchanged(change.before, change.after)) return false;
  await commitChange(deps, change, refusals);
  return true;
}

/** Passes on an entry's success and turns its refusal into an error for the operator. */
export function accept(
  result: EntryResult,
  refusals: Refusals = {},
): EntryResult & { readonly ok: true } {
  if (result.ok) return result;
  const cause = result.message;
  switch (result.reason) {
    case "conflict":
      throw new GatewayError("conflict", refusals.conflict ?? result.message, { cause });
    case "missing":
      throw new GatewayError("not_found", refusals.missing ?? result.message, { cause });
    case "full":
      throw new GatewayError(
        "storage_full",
        "Nothing was changed: the disk of the data dir is full. Make room and try again",
        { cause, retryAfterSeconds: 10 },
      );
    case "unavailable":
    case "failed":
      throw new GatewayError("internal_error", `Nothing was changed: ${result.message}`, { cause });
  }
}
