/**
 * Compares balances with the ledger and the open holds at one moment, while
 * calls open and close.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";
import type { StoredCall } from "../../domain/call.ts";
import type { Storage } from "../../storage/ports/storage.ts";
import type { AdminDeps } from "../base/deps.ts";
import { type Difference, differenceOf } from "../base/findings.ts";
import type { LedgerPass } from "./ledger_pass.ts";

/** Where the books lie. */
export type StoredBooks = Pick<
  Storage,
  "snapshot" | "calls" | "ledger" | "catalogue" | "audit" | "checkpoints" | "sums" | "seals"
>;

/** The process that writes the books while they are read. */
export type LiveBooks = Pick<AdminDeps, "ledger" | "commits" | "directory" | "books">;

/** Rows that may have come since the pass; more of them make the cut start again. */
const TAIL = 2_000;
/** More calls than can be open at once. */
const OPEN_CALLS = 1_000_000;

/** What was stored, and what the running gateway had in memory, at one moment. */
export interface BalanceCut {
  readonly balances: readonly Balance[];
  readonly openCalls: readonly StoredCall[];
  /** `undefined` without a writer, and while writes are on their way, when memory is rightly ahead. */
  readonly memory: ReadonlyMap<string, Balance> | undefined;
}

/** Brings the pass to the end of the ledger and reads balances and open calls of that very moment. */
export async function takeCut(
  pass: LedgerPass,
  { stored, live }: { readonly stored: StoredBooks; readonly live: LiveBooks | undefined },
): Promise<BalanceCut> {
  const books = live?.books ?? stored;
  for (;;) {
    await live?.commits.flush();
    const memory = live === undefined ? undefined : balancesInMemory(live);
    const { rows, balances, openCalls } = await books.snapshot({
      after: pass.places,
      rows: TAIL,
      openCalls: OPEN_CALLS,
    });
    await pass.take(rows);
    if (rows.length < TAIL) return { balances, openCalls, memory };
  }
}

function balancesInMemory(
  { commits, ledger, directory }: LiveBooks,
): ReadonlyMap<string, Balance> | undefined {
  // Of shared balances memory has a part.
  if (commits.pending > 0 || ledger.troubled || ledger.allowances !== undefined) return undefined;
  return new Map(directory.projects().map(({ id }) => [id, ledger.balanceOf(id)]));
}

/** Every balance that is not what the ledger and the open holds add up to. */
export function compareCut(cut: BalanceCut, pass: LedgerPass): readonly Difference[] {
  const held = new Map<string, bigint>();
  for (const { projectId, heldE8 } of cut.openCalls) {
    held.set(projectId, (held.get(projectId) ?? 0n) + heldE8);
  }
  const differences: Difference[] = [];
  const known = new Set<string>();
  for (const balance of cut.balances) {
    const { projectId } = balance;
    known.add(projectId);
    const expectedHeld = held.get(projectId) ?? 0n;
    const total = pass.total(projectId, balance.avail + balance.held);
    const expected = { avail: total - expectedHeld, held: expectedHeld };
    differences.push(...compare(balance, expected, "the ledger and the open calls add up to this"));
    const memory = cut.memory?.get(projectId);
    if (memory !== undefined) {
      differences.push(...compare(balance, memory, "the running gateway counts with this"));
    }
  }
  const nameless = [...pass.projectIds(), ...held.keys()].filter((id) => !known.has(id));
  for (const id of new Set(nameless)) {
    const detail = "the ledger names a project that does not exist";
    differences.push(differenceOf(["projects", id], detail, { column: "id", expected: id }));
  }
  return differences;
}

function compare(
  found: Balance,
  expected: Pick<Balance, "avail" | "held">,
  detail: string,
): readonly Difference[] {
  return (["avail", "held"] as const).filter((part) => found[part] !== expected[part]).map(
    (part) =>
      differenceOf(["projects", found.projectId], detail, {
        column: `${part}_e8`,
        expected: expected[part],
        found: found[part],
      }),
  );
}
