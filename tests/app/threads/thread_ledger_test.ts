import assert from "node:assert/strict";
import type { CallOutcome } from "../../../src/accounts/close_call.ts";
import { closeCall } from "../../../src/accounts/close_call.ts";
import { makeBuffers, SharedMemory } from "../../../src/app/threads/shared_memory.ts";
import { ThreadCalls } from "../../../src/app/threads/thread_calls.ts";
import { ThreadLedger } from "../../../src/app/threads/thread_ledger.ts";
import { GatewayError } from "../../../src/errors.ts";
import type { CallRecord } from "../../../src/metering/call_record.ts";
import { openLedger, openOf, outcomeOf } from "../../support/ledger_bench.ts";
import { SeededRandom } from "../../support/seeded_random.ts";
import { until } from "../../support/until.ts";

const SLOTS = new Map([["p", 0]]);

/** Threads, all in this one, beside a ledger with 250 for project `p`; nothing is heard of one that is cut off. */
async function openThreads(count: number) {
  const bench = await openLedger();
  const shared = new SharedMemory(makeBuffers(count));
  bench.ledger.share("p", shared.avail, 0);
  const records: CallRecord[] = [];
  const threads = Array.from({ length: count }, (_, index) => {
    const memory = shared.thread(index);
    const link = { isCut: false };
    const calls = new ThreadCalls({
      ledger: bench.ledger,
      memory,
      slotOf: (projectId) => SLOTS.get(projectId)!,
      onCall: (record) => records.push(record),
      onSample() {},
      send: (text) => ledger.settled(text),
    });
    const ledger = new ThreadLedger({
      shared,
      memory,
      slotOf: () => 0,
      send: (text) => {
        if (!link.isCut) calls.take(text);
      },
    });
    return { ledger, calls, link, memory };
  });
  return { ...bench, shared, threads, records };
}

const avail = (ledger: { balanceOf(id: string): { avail: bigint; held: bigint } }) => {
  const { avail, held } = ledger.balanceOf("p");
  return [avail, held];
};

Deno.test("a thread takes holds by itself while they fit, and each call is settled as it would be by the ledger", async () => {
  await using parts = await openThreads(2);
  const [one, other] = parts.threads;
  const hold = one!.ledger.hold(openOf)!;
  assert.equal(one!.ledger.balanceOf("p").avail, 150n);
  assert.equal(other!.ledger.hold({ ...openOf, callId: 2, heldE8: 200n }), undefined);
  const second = other!.ledger.hold({ ...openOf, callId: 2, heldE8: 150n })!;
  assert.equal(parts.ledger.hold({ ...openOf, callId: 3, heldE8: 1n }), undefined);
  const closed = await one!.ledger.close(hold, outcomeOf);
  assert.deepEqual(closed, closeCall(openOf, outcomeOf, 2_000));
  assert.deepEqual(avail(parts.ledger), [40n, 150n]);
  await other!.ledger.close(second, { ...outcomeOf, billable: false });
  assert.deepEqual(avail(parts.ledger), [190n, 0n]);
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [
    { projectId: "p", avail: 190n, held: 0n },
  ]);
  assert.throws(() => one!.ledger.close(hold, outcomeOf), /closed already/);
});

Deno.test("a hold moves to a dearer route where the balance covers it, and a call that used more is raised", async () => {
  await using parts = await openThreads(1);
  const { ledger } = parts.threads[0]!;
  const hold = ledger.hold(openOf)!;
  const dearer = { ...openOf, heldE8: 120n };
  assert.equal(ledger.rehold(hold, { ...openOf, heldE8: 251n }), false);
  assert.equal(ledger.rehold(hold, dearer), true);
  assert.equal(ledger.balanceOf("p").avail, 130n);
  const outcome: CallOutcome = { ...outcomeOf, saleE8: 200n };
  const closed = await ledger.close(hold, outcome);
  assert.deepEqual(closed, closeCall({ ...openOf, heldE8: 200n }, outcome, 2_000));
  assert.deepEqual(avail(parts.ledger), [50n, 0n]);
});

Deno.test("how a call ended is told once it is settled, with the call as it is stored", async () => {
  await using parts = await openThreads(1);
  const { ledger } = parts.threads[0]!;
  const failedAttempts = [{ route: "a/m", failure: "broken", ms: 3, message: "x" }] as const;
  const outcome = { ...outcomeOf, failedAttempts, errorCode: "no_available_route" };
  const call = await ledger.close(
    ledger.hold({ ...openOf, tags: { team: "a" } })!,
    outcome,
  );
  const record = { call, status: 200, milliseconds: 7, address: "127.0.0.1" };
  ledger.ended({ ...record, placed: "sticky" });
  ledger.flush();
  assert.deepEqual(parts.records, [{ ...record, placed: "sticky" }]);
});

Deno.test("a thread that ends leaves nothing held: what it told is released, what it did not goes back", async () => {
  await using parts = await openThreads(2);
  const [one, other] = parts.threads;
  one!.ledger.hold(openOf);
  one!.ledger.flush();
  one!.link.isCut = true;
  one!.ledger.hold({ ...openOf, callId: 2, heldE8: 70n });
  const kept = other!.ledger.hold({ ...openOf, callId: 3, heldE8: 80n })!;
  other!.ledger.flush();
  assert.deepEqual(avail(parts.ledger), [0n, 180n]);
  assert.equal(await one!.calls.abandon(SLOTS), 1);
  assert.deepEqual(avail(parts.ledger), [170n, 80n]);
  one!.link.isCut = false;
  one!.ledger.flush();
  assert.deepEqual(avail(parts.ledger), [170n, 80n], "what is heard of it later counts no more");
  const stored = await parts.storage.calls.find(1);
  assert.ok(stored !== undefined && stored.state !== "open");
  assert.equal(stored.result, "gateway_stopped");
  await other!.ledger.close(kept, outcomeOf);
  assert.deepEqual(avail(parts.ledger), [190n, 0n]);
});

Deno.test("a close that cannot be written is refused, charges nobody, and is written later", async () => {
  await using parts = await openThreads(1);
  const { ledger } = parts.threads[0]!;
  const hold = ledger.hold(openOf)!;
  ledger.flush();
  await parts.commits.flush();
  parts.disk.full = true;
  await assert.rejects(
    ledger.close(hold, outcomeOf),
    (error) => error instanceof GatewayError && error.code === "storage_full",
  );
  parts.shared.isTroubled = parts.ledger.troubled;
  assert.throws(() => ledger.hold({ ...openOf, callId: 2 }), /cannot write its ledger/);
  parts.disk.full = false;
  await until("the close waits", () => parts.waits.length > 0);
  parts.waits.shift()!();
  await until("the close is written", () => parts.ledger.balanceOf("p").held === 0n);
  assert.deepEqual(avail(parts.ledger), [250n, 0n]);
});

Deno.test("threads and the main thread together never spend more than there is", async () => {
  await using parts = await openThreads(3);
  const random = new SeededRandom(11);
  const ledgers = [parts.ledger, ...parts.threads.map(({ ledger }) => ledger)];
  let charged = 0n;
  let callId = 0;
  const calls = Array.from({ length: 300 }, async () => {
    const ledger = ledgers[random.integer(0, 3)]!;
    for (let turn = random.integer(0, 9); turn > 0; turn--) await Promise.resolve();
    const heldE8 = BigInt(random.integer(0, 40));
    const hold = ledger.hold({ ...openOf, callId: ++callId, heldE8 });
    if (hold === undefined) return;
    if (random.next() < 0.3) {
      await parts.commits.flush();
      ledger.rehold(hold, { ...hold.call, heldE8: heldE8 + BigInt(random.integer(0, 9)) });
    }
    const saleE8 = BigInt(random.integer(0, 3));
    const closed = await ledger.close(hold, { ...outcomeOf, saleE8, costE8: 0n });
    charged += closed.chargedE8;
  });
  await Promise.all(calls);
  await parts.commits.flush();
  assert.ok(charged > 0n && charged <= 250n, `${charged}`);
  assert.deepEqual(avail(parts.ledger), [250n - charged, 0n]);
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [
    { projectId: "p", avail: 250n - charged, held: 0n },
  ]);
  assert.deepEqual(parts.trouble, []);
});
