/**
 * Entries about what nodes lease of balances that they share.
 *
 * @module
 */

import { conflict, DONE, missing } from "../entries/entry_results.ts";
import { tooSmall } from "../entries/call_steps.ts";
import type { EntryResult, Leased } from "../ports/entry.ts";
import type { EntryOf } from "./applier.ts";
import type { Batch } from "./batch.ts";

/** For so long all nodes are asked to give back, milliseconds: some of their looks. */
const WANTED_MS = 1_500;

/**
 * Leases what is needed, or more: of what is left at most the half of a node's part, so that some is
 * left for those who come next. Where there is too little, whoever has leased more than it needs is
 * asked to give it back.
 */
export async function applyLease(
  batch: Batch,
  { projectId, needE8, wishE8 }: EntryOf<"lease">,
): Promise<EntryResult> {
  if (!batch.isNode) return conflict("Nobody else has any of the balances here");
  const pool = await batch.pool(projectId);
  if (pool === undefined) return missing("project", projectId);
  const { nodes, now, elsewhere } = batch.leaseFacts!;
  const elsewhereE8 = elsewhere.get(projectId) ?? 0n;
  if (pool.avail < needE8) {
    if (elsewhereE8 > 0n) pool.wantedUntil = now + WANTED_MS;
    return told({ amountE8: 0n, freeE8: pool.avail, elsewhereE8 });
  }
  const part = pool.avail / (2n * nodes);
  const wished = wishE8 < part ? wishE8 : part;
  const amountE8 = wished > needE8 ? wished : needE8;
  pool.avail -= amountE8;
  (await batch.balance(projectId))!.avail += amountE8;
  return told({ amountE8, freeE8: pool.avail, elsewhereE8 });
}

/** Gives back what is leased and not held. */
export async function applyGiveBack(
  batch: Batch,
  { projectId, amountE8 }: EntryOf<"give_back">,
): Promise<EntryResult> {
  const pool = await batch.pool(projectId);
  const lease = await batch.balance(projectId);
  if (pool === undefined || lease === undefined) return missing("project", projectId);
  const refusal = tooSmall(lease, amountE8);
  if (refusal !== undefined) return refusal;
  lease.avail -= amountE8;
  pool.avail += amountE8;
  return DONE;
}

function told(leased: Leased): EntryResult {
  return { ok: true, leased };
}
