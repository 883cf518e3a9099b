/**
 * Entries about projects, their balance, their keys, what these have spent, tokens and the catalogue;
 * and any of them with their row in the audit log.
 *
 * @module
 */

import type { AuditFields, AuditNote } from "../../domain/audit.ts";
import { formatAmount } from "../../domain/money.ts";
import { refuseCredit } from "../entries/call_steps.ts";
import { conflict, demand, DONE, missing, REPEATED } from "../entries/entry_results.ts";
import type { AuditedEntry, Entry, EntryResult } from "../ports/entry.ts";
import { storableText } from "../rows/row_of.ts";
import type { Appliers, EntryOf } from "./applier.ts";
import type { PostgresAuditStore } from "./audit_store.ts";
import type { Batch } from "./batch.ts";
import type { Ask } from "./ask.ts";

export const ACCOUNT_APPLIERS: Appliers<
  | "create_project"
  | "update_project"
  | "create_key"
  | "update_key"
  | "delete_key"
  | "put_spend_state"
  | "create_token"
  | "revoke_token"
  | "note_token_use"
  | "note_sign_in"
  | "note_reading"
  | "write_catalogue"
  | "switch_route"
> = {
  async create_project(batch, { project }, { accounts }) {
    if (await batch.balance(project.id) !== undefined) {
      return conflict(`Project '${project.id}' exists already`);
    }
    await accounts.insertProject(project);
    return DONE;
  },
  update_project: async (_batch, { project }, { accounts }) =>
    await accounts.updateProject(project) ? DONE : missing("project", project.id),
  // A second one of the same id or hash ends as a constraint's error.
  async create_key(_batch, { key }, { accounts }) {
    await accounts.insertKey(key);
    return DONE;
  },
  update_key: async (_batch, { key }, { accounts }) =>
    await accounts.updateKey(key) ? DONE : missing("key", key.id),
  // With what is known of its spending besides its sums, which are its project's too.
  async delete_key(_batch, { keyId }, { accounts, spending }) {
    if (!await accounts.deleteKey(keyId)) return missing("key", keyId);
    await spending.forgetState("key", keyId);
    return DONE;
  },
  async put_spend_state(_batch, { state }, { spending }) {
    await spending.putState(state);
    return DONE;
  },
  async create_token(_batch, { token }, { tokens }) {
    await tokens.insert(token);
    return DONE;
  },
  revoke_token: async (_batch, { tokenId, at }, { tokens }) =>
    await tokens.revoke(tokenId, at) ? DONE : missing("active token", tokenId),
  note_token_use: async (_batch, { tokenId, at }, { tokens }) =>
    await tokens.noteUse(tokenId, at) ? DONE : missing("token", tokenId),
  note_sign_in: () => Promise.resolve(DONE),
  note_reading: () => Promise.resolve(DONE),
  write_catalogue: async (_batch, { catalogue, at }, stores) => ({
    ok: true,
    catalogue: await stores.catalogue.write(catalogue, at),
  }),
  switch_route: async (_batch, { routeId, ...switches }, { catalogue }) =>
    await catalogue.switchRoute(routeId, switches) ? DONE : missing("route", routeId),
};

/** Adds to a project's balance, once per reference. */
export async function applyCredit(
  batch: Batch,
  credit: EntryOf<"credit">,
  ask: Ask,
): Promise<EntryResult> {
  const { projectId, amountE8, at } = credit;
  const reference = credit.reference === undefined ? undefined : storableText(credit.reference);
  const pool = await batch.pool(projectId);
  if (pool === undefined) return missing("project", projectId);
  if (reference !== undefined) {
    const earlier = await ask.getWide(
      `SELECT amount_e8 FROM ledger WHERE project_id = ?1 AND reference = ?2
       UNION ALL
       SELECT amount_e8 FROM kept_references WHERE project_id = ?1 AND reference = ?2 LIMIT 1`,
      projectId,
      reference,
    );
    if (earlier?.amount_e8 === amountE8) return REPEATED;
    if (earlier !== undefined) {
      return conflict(`Reference '${reference}' was used with the amount ${earlier.amount_e8}`);
    }
  }
  const refusal = refuseCredit({ avail: await batch.total(projectId), held: 0n }, credit);
  if (refusal !== undefined) return refusal;
  await batch.credit(
    { projectId, kind: "credit", amountE8, callId: undefined, reference, at },
    pool,
  );
  return DONE;
}

/**
 * Applies the changes in their order, then notes them. A repeated credit changes
 * nothing, so nothing is noted.
 *
 * @throws {EntryRefused} If a change behind the first one is refused.
 */
export async function applyAudited(
  batch: Batch,
  { changes, note }: AuditedEntry,
  { audit, apply }: {
    readonly audit: PostgresAuditStore;
    readonly apply: (change: Entry) => Promise<EntryResult>;
  },
): Promise<EntryResult> {
  const [first, ...others] = changes;
  const before = await balanceFor(first, batch);
  let result = await apply(first);
  if (!result.ok || result.repeated === true) return result;
  for (const change of others) {
    const next = await apply(change);
    demand(next);
    if (next !== DONE) result = next;
  }
  const after = await balanceFor(first, batch);
  await audit.append(before && after ? withBalance(note, before, after) : note);
  return result;
}

/** A credit's balance is known for certain here alone: calls go on all the time. */
async function balanceFor(change: Entry, batch: Batch): Promise<AuditFields | undefined> {
  if (change.kind !== "credit") return undefined;
  if (await batch.pool(change.projectId) === undefined) return undefined;
  return { balance: formatAmount(await batch.total(change.projectId)) };
}

function withBalance(note: AuditNote, before: AuditFields, after: AuditFields): AuditNote {
  return { ...note, before: { ...note.before, ...before }, after: { ...note.after, ...after } };
}
