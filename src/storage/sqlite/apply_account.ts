/**
 * Entries about projects, their balance and their keys.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../domain/account.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAccountStore } from "./account_store.ts";
import type { Batch } from "./batch.ts";
import { storableText } from "./storable_text.ts";
import { refuseCredit } from "../entries/call_steps.ts";
import { conflict, DONE, missing, REPEATED } from "../entries/entry_results.ts";
import type { SqliteSpendStore } from "./spend_store.ts";

/** An entry that adds to a balance. */
export type CreditEntry = Extract<Entry, { readonly kind: "credit" }>;

/** Adds to a project's balance, once per reference. */
export function applyCredit(batch: Batch, credit: CreditEntry): EntryResult {
  const { projectId, amountE8, at } = credit;
  const reference = credit.reference === undefined ? undefined : storableText(credit.reference);
  const balance = batch.balance(projectId);
  if (balance === undefined) return missing("project", projectId);
  if (reference !== undefined) {
    const earlier = batch.statements.findReference.get(projectId, reference);
    if (earlier?.amount_e8 === amountE8) return REPEATED;
    if (earlier !== undefined) {
      return conflict(`Reference '${reference}' was used with the amount ${earlier.amount_e8}`);
    }
  }
  const refusal = refuseCredit(balance, credit);
  if (refusal !== undefined) return refusal;
  balance.avail += amountE8;
  batch.appendLedger(
    { projectId, kind: "credit", amountE8, callId: undefined, reference, at },
    balance,
  );
  return DONE;
}

/** Creates a project with a balance of 0. */
export function applyCreateProject(
  batch: Batch,
  { project, accounts }: { readonly project: Project; readonly accounts: SqliteAccountStore },
): EntryResult {
  if (batch.balance(project.id) !== undefined) {
    return conflict(`Project '${project.id}' exists already`);
  }
  accounts.insertProject(project);
  return DONE;
}

/** Replaces a project's settings. */
export function applyUpdateProject(project: Project, accounts: SqliteAccountStore): EntryResult {
  return accounts.updateProject(project) ? DONE : missing("project", project.id);
}

/** Creates a key. A second one of the same id or hash ends as a constraint's error. */
export function applyCreateKey(key: ProjectKey, accounts: SqliteAccountStore): EntryResult {
  accounts.insertKey(key);
  return DONE;
}

/** Replaces a key's settings. */
export function applyUpdateKey(key: ProjectKey, accounts: SqliteAccountStore): EntryResult {
  return accounts.updateKey(key) ? DONE : missing("key", key.id);
}

/** Removes a key with what is known of its spending besides its sums, which are its project's too. */
export function applyDeleteKey(
  keyId: string,
  { accounts, spending }: {
    readonly accounts: SqliteAccountStore;
    readonly spending: SqliteSpendStore;
  },
): EntryResult {
  if (!accounts.deleteKey(keyId)) return missing("key", keyId);
  spending.forgetState("key", keyId);
  return DONE;
}
