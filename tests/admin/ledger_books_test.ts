import assert from "node:assert/strict";
import { Differences } from "../../src/admin/base/findings.ts";
import { LedgerPass } from "../../src/admin/ledger_check/ledger_pass.ts";
import { type BookId, MAIN_BOOK } from "../../src/domain/book.ts";
import type { ClosedCall, LedgerKind, LedgerRow } from "../../src/domain/call.ts";
import { sampleClosedCall } from "../conformance/storage_samples.ts";

const AT = sampleClosedCall().closedAt;

/** A row of the project of the samples; one of a call belongs to the call of its number. */
function rowOf(book: BookId, seq: number, [kind, amountE8, balanceAfterE8]: [
  LedgerKind,
  bigint,
  bigint,
]): LedgerRow {
  const callId = kind === "credit" ? undefined : book * 10 + seq;
  const { projectId } = sampleClosedCall();
  return {
    ...{ book, seq, projectId, kind, amountE8, balanceAfterE8, callId },
    reference: undefined,
    at: AT,
  };
}

async function passOver(rows: readonly LedgerRow[]) {
  const calls = new Map(rows.flatMap(({ callId, amountE8 }) => {
    const call = sampleClosedCall({ callId: callId ?? 0, chargedE8: amountE8, lossE8: 0n });
    return callId === undefined ? [] : [[callId, call] as const];
  }));
  const slice = (after: number): Promise<readonly ClosedCall[]> =>
    Promise.resolve([...calls.values()].filter(({ callId }) => callId > after));
  const differences = new Differences(10);
  const pass = new LedgerPass({ slice }, differences);
  await pass.take(rows);
  return { pass, found: () => differences.list.map(({ id, column }) => `${id} ${column}`) };
}

Deno.test("LedgerPass re-adds each book by itself, and a balance is what they come to together", async () => {
  const { pass, found } = await passOver([
    rowOf(MAIN_BOOK, 1, ["credit", 1_000n, 1_000n]),
    rowOf(7, 1, ["settle", 30n, -30n]),
    rowOf(8, 1, ["settle", 200n, -200n]),
    rowOf(7, 2, ["settle", 5n, -35n]),
    rowOf(MAIN_BOOK, 2, ["credit", 10n, 1_010n]),
  ]);
  const { projectId } = sampleClosedCall();
  assert.equal(pass.total(projectId, 775n), 775n);
  assert.equal(pass.total(projectId, 774n), 775n);
  assert.deepEqual([...new Set(pass.projectIds())], [projectId]);
  assert.deepEqual(pass.places, [
    { book: MAIN_BOOK, seq: 2 },
    { book: 7, seq: 2 },
    { book: 8, seq: 1 },
  ]);
  assert.deepEqual([pass.lastSeqOf(7), pass.lastSeqOf(9)], [2, 0]);
  assert.deepEqual(found(), []);
});

Deno.test("LedgerPass finds a gap in one book, and names the book of a row with a wrong sum", async () => {
  const { pass, found } = await passOver([
    rowOf(MAIN_BOOK, 1, ["credit", 1_000n, 1_000n]),
    rowOf(7, 2, ["settle", 30n, -30n]),
    rowOf(8, 1, ["settle", 200n, -201n]),
  ]);
  assert.equal(pass.total(sampleClosedCall().projectId, 770n), 770n);
  assert.deepEqual(found(), ["7/2 seq", "8/1 balance_after_e8"]);
});
