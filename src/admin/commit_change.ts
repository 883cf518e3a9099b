/**
 * Commits a change: first to disk, and only what is on disk becomes live.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import type { Entry, EntryResult } from "../storage/ports/entry.ts";
import type { AdminDeps } from "./deps.ts";

/** What to tell the operator when storage refuses a change for its state's sake. */
export interface Refusals {
  readonly conflict?: string;
  readonly missing?: string;
}

/**
 * Writes an entry and waits until it is synced.
 *
 * @throws {GatewayError} `conflict`, `not_found`, `storage_full` or `internal_error`.
 */
export async function commitChange(
  deps: Pick<AdminDeps, "commits">,
  entry: Entry,
  refusals: Refusals = {},
): Promise<EntryResult & { readonly ok: true }> {
  return accept(await deps.commits.commit(entry), refusals);
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
    case "failed":
      throw new GatewayError("internal_error", `Nothing was changed: ${result.message}`, { cause });
  }
}
