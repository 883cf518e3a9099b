/**
 * Entries about projects, their balance, their keys and what these have spent.
 *
 * @module
 */

import type { EntryResult } from "../ports/entry.ts";
import type { Appliers, EntryOf } from "./applier.ts";
import type { Batch } from "./batch.ts";
import { storableText } from "../rows/row_of.ts";
import { refuseCredit } from "../entries/call_steps.ts";
import { conflict, DONE, missing, REPEATED } from "../entries/entry_results.ts";

export const ACCOUNT_APPLIERS: Appliers<
  | "credit"
  | "create_project"
  | "update_project"
  | "create_key"
  | "update_key"
  | "delete_key"
  | "put_spend_state"
> = {
  credit: applyCredit,
  create_project(batch, { project }, { accounts }) {
    if (batch.balance(project.id) !== undefined) {
      return conflict(`Project '${project.id}' exists already`);
    }
    accounts.insertProject(project);
    return DONE;
  },
  update_project: (_batch, { project }, { accounts }) =>
    accounts.updateProject(project) ? DONE : missing("project", project.id),
  // A second one of the same id or hash ends as a constraint's error.
  create_key(_batch, { key }, { accounts }) {
    accounts.insertKey(key);
    return DONE;
  },
  update_key: (_batch, { key }, { accounts }) =>
    accounts.updateKey(key) ? DONE : missing("key", key.id),
  // With what is known of its spending besides its sums, which are its project's too.
  delete_key(_batch, { keyId }, { accounts, spending }) {
    if (!accounts.deleteKey(keyId)) return missing("key", keyId);
    spending.forgetState("key", keyId);
    return DONE;
  },
  put_spend_state(_batch, { state }, { spending }) {
    spending.putState(state);
    return DONE;
  },
};

/** Adds to a project's balance, once per reference. */
function applyCredit(batch: Batch, credit: EntryOf<"credit">): EntryResult {
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
