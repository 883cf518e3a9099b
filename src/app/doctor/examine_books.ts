/**
 * A quick look at the books: balances against the ledger's end and the open holds.
 *
 * @module
 */

import { formatAmount } from "../../domain/money.ts";
import type { StorageReads } from "../../storage/ports/storage.ts";
import { type Finding, listed, ok, problem } from "./finding.ts";

const CHECK = "books";
const MOST_OPEN_CALLS = 1_000_000;

/** Everything is of one moment, whoever writes meanwhile. */
export async function examineBooks(storage: StorageReads): Promise<readonly Finding[]> {
  const [balances, last, openCalls] = await Promise.all([
    storage.accounts.loadBalances(),
    storage.accounts.lastBalances(),
    storage.calls.openCalls(MOST_OPEN_CALLS),
  ]);
  const totals = new Map(last.map(({ projectId, totalE8 }) => [projectId, totalE8]));
  const held = new Map<string, bigint>();
  for (const { projectId, heldE8 } of openCalls) {
    held.set(projectId, (held.get(projectId) ?? 0n) + heldE8);
  }
  const wrong = balances.flatMap(({ projectId, avail, held: stored }) => {
    const total = totals.get(projectId) ?? 0n;
    const sum = held.get(projectId) ?? 0n;
    return [
      ...(avail + stored === total
        ? []
        : [`${projectId} has ${formatAmount(avail + stored)}, its ledger ${formatAmount(total)}`]),
      ...(stored === sum
        ? []
        : [`${projectId} holds ${formatAmount(stored)}, its open calls ${formatAmount(sum)}`]),
    ];
  });
  const known = new Set(balances.map(({ projectId }) => projectId));
  for (const projectId of new Set([...totals.keys(), ...held.keys()])) {
    if (!known.has(projectId)) {
      wrong.push(`${projectId} has a ledger or open calls, and no balance`);
    }
  }
  if (wrong.length > 0) {
    return [
      problem(CHECK, listed(wrong), "tollgate ledger verify tells more; then restore a backup"),
    ];
  }
  const detail = `${balances.length} balances fit the ledger and ${openCalls.length} open calls`;
  return [ok(CHECK, `${detail}; tollgate ledger verify reads every row`)];
}
