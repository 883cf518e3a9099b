/**
 * @module
 */

import assert from "node:assert/strict";
import type { BookRows, CallRow, LedgerRow } from "./book_rows.ts";
import { checkBookRows } from "./check_books.ts";
import { checkUpstream } from "./check_upstream.ts";

/** 1 and 2 for a million tokens: 1000 tokens of each are 0.003. */
const PRICE = JSON.stringify({ kind: "rates", rates: { input: "100000000", output: "200000000" } });

const CALL: CallRow = {
  callId: 1n,
  requestId: "req_1",
  projectId: "p",
  keyId: "k",
  capability: "chat",
  model: "m",
  route: "r/m",
  priceVersion: 1n,
  unlimited: false,
  state: "settled",
  result: "completed",
  attempts: 1n,
  held: 500_000n,
  promptTokens: 1_000n,
  completionTokens: 1_000n,
  cachedTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  usageSource: "reported",
  images: 0n,
  others: {},
  videoSize: undefined,
  videoSeconds: 0n,
  videoPercent: 100n,
  cost: 0n,
  sale: 300_000n,
  charged: 300_000n,
  loss: 0n,
  openedAt: 1n,
  closedAt: 2n,
};

const CREDIT: LedgerRow = {
  book: 0n,
  seq: 1n,
  projectId: "p",
  kind: "credit",
  amount: 1_000_000n,
  balanceAfter: 1_000_000n,
  callId: undefined,
};
const SETTLE: LedgerRow = {
  book: 0n,
  seq: 2n,
  projectId: "p",
  kind: "settle",
  amount: 300_000n,
  balanceAfter: 700_000n,
  callId: 1n,
};

const FINE: BookRows = {
  projects: [{ id: "p", unlimited: false, avail: 700_000n, held: 0n }],
  calls: [CALL],
  ledger: [CREDIT, SETTLE],
  prices: [{ version: 1n, cost: undefined, sale: PRICE }],
  reals: [],
};

/** The marks of the invariants that are broken. */
function broken(changes: Partial<BookRows>): string[] {
  const marks = checkBookRows({ ...FINE, ...changes }).map((sentence) => sentence.slice(0, 2));
  return [...new Set(marks)].sort();
}

Deno.test("checkBookRows() adds up each book by itself, and a balance of all of them", () => {
  const own: LedgerRow = { ...SETTLE, book: 7n, seq: 1n, balanceAfter: -300_000n };
  assert.deepEqual(broken({ ledger: [CREDIT, own] }), []);
  assert.deepEqual(broken({ ledger: [CREDIT, { ...own, seq: 2n }] }), ["I1"]);
  assert.deepEqual(broken({ ledger: [CREDIT, { ...own, balanceAfter: 700_000n }] }), ["I1"]);
});

Deno.test("checkBookRows() finds nothing in books that add up", () => {
  assert.deepEqual(checkBookRows(FINE), []);
});

Deno.test("checkBookRows() finds each invariant that is broken", () => {
  const project = FINE.projects[0]!;
  const call = (changes: Partial<CallRow>) => [{ ...CALL, ...changes }];
  for (
    const [changes, marks] of [
      [{ projects: [{ ...project, avail: 700_001n }] }, ["I1"]],
      [{ ledger: [CREDIT, { ...SETTLE, balanceAfter: 700_001n }] }, ["I1"]],
      [{ ledger: [CREDIT, { ...SETTLE, seq: 3n }] }, ["I1"]],
      [{ projects: [{ ...project, avail: -1n, held: 700_001n }] }, ["I2", "I5"]],
      [{ ledger: [CREDIT] }, ["I1", "I3"]],
      [{ ledger: [CREDIT, SETTLE, { ...SETTLE, seq: 3n, amount: 0n }] }, ["I3"]],
      [{ ledger: [CREDIT, SETTLE, { ...SETTLE, seq: 3n, kind: "release", amount: 0n }] }, ["I3"]],
      [{ ledger: [CREDIT, { ...SETTLE, callId: 9n }] }, ["I3"]],
      [{ calls: call({ state: "open" }) }, ["I3", "I5"]],
      [{ projects: [{ ...project, avail: 600_000n, held: 100_000n }] }, ["I5"]],
      [{ calls: call({ sale: 300_001n, charged: 300_001n }) }, ["I3", "I6"]],
      [{ calls: call({ completionTokens: 1_001n }) }, ["I6"]],
      [{ calls: call({ cost: 1n }) }, ["I6"]],
      [{ calls: call({ usageSource: "none" }) }, ["I6"]],
      [{ calls: call({ unlimited: true }) }, ["I6"]],
      [{ reals: ["projects.avail_e8"] }, ["I7"]],
    ] as const
  ) assert.deepEqual(broken(changes), marks, sentenceOf(changes));
});

Deno.test("checkBookRows() lets calls be open when they may be", () => {
  const rows = {
    ...FINE,
    projects: [{ id: "p", unlimited: false, avail: 500_000n, held: 500_000n }],
    calls: [{ ...CALL, state: "open" as const, charged: 0n, sale: 0n }],
    ledger: [CREDIT],
  };
  assert.deepEqual(checkBookRows(rows, { mayBeOpen: true }), []);
  assert.match(checkBookRows(rows)[0]!, /^I5: 1 calls are open, such as req_1/);
});

Deno.test("checkUpstream() finds completions that nobody pays for, and charges for none", () => {
  const record = {
    number: 1,
    tag: 7,
    attempt: 1,
    path: "/v1/chat/completions",
    model: "m",
    isStream: false,
    arrivedAt: 0,
    outcome: "completed" as const,
    bytesSent: 10,
    usage: undefined,
    lastWriteAt: 1,
    endedAt: 1,
  };
  const check = (records: (typeof record)[], calls: CallRow[]) =>
    checkUpstream({ records, calls, tagOf: () => 7 });
  assert.deepEqual(check([record], [CALL]), []);
  assert.match(
    check([record], [])[0]!,
    /^I4: the upstream completed tag 7 and no call tells of it/,
  );
  assert.match(check([record], [CALL, CALL])[0]!, /^I4: tag 7 is 2 calls/);
  const released = { ...CALL, state: "released" as const, charged: 0n };
  assert.match(check([record], [released])[0]!, /lost nothing$/);
  assert.deepEqual(check([record], [{ ...released, loss: 300_000n }]), []);
  assert.match(check([], [CALL])[0]!, /is charged, and the upstream was never asked/);
});

function sentenceOf(changes: unknown): string {
  return JSON.stringify(changes, (_, value) => typeof value === "bigint" ? String(value) : value);
}
