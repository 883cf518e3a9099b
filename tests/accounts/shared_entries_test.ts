import assert from "node:assert/strict";
import type { CallOutcome } from "../../src/accounts/close_call.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import { CREDIT_E8 } from "../support/video_parts.ts";
import { VideoWorld } from "../support/video_world.ts";

const call: OpenCall = {
  callId: 1,
  requestId: "req_aaaaaaaaaaaa1",
  projectId: "p",
  keyId: "k",
  capability: "videos",
  model: "film",
  provider: "here",
  route: "here/film",
  priceVersion: 1,
  heldE8: 1_000n,
  unlimited: false,
  stream: false,
  openedAt: 1_000,
};
const outcome: CallOutcome = {
  result: "completed",
  billable: true,
  work: NO_WORK,
  usageSource: "reported",
  costE8: 1n,
  saleE8: 600n,
  firstByteMs: undefined,
  attempts: 1,
  errorCode: undefined,
};
const REASONS = ["full", "unavailable", "failed", "conflict", "missing"] as const;

/** A ledger over a real database, whose storage refuses what a test says. */
async function scene() {
  const world = await VideoWorld.create();
  const { ledger } = await world.start({ isIdle: true });
  return {
    world,
    ledger,
    refuse(reason: typeof REASONS[number] | undefined) {
      world.refuse = reason && (() => ({ ok: false, reason, message: "refused" }));
    },
    /** Memory and disk have this much spent and held. */
    async assertBalance({ spent = 0n, held = 0n }): Promise<void> {
      const expected = { projectId: "p", avail: CREDIT_E8 - spent - held, held };
      assert.deepEqual(world.boot.ledger.balanceOf("p"), expected);
      assert.deepEqual(await world.storage.accounts.loadBalances(), [expected]);
    },
    hold: (parts: Partial<OpenCall> = {}) => {
      const taken = { ...call, ...parts };
      return ledger.shared.holdWith(taken, { kind: "hold", call: taken });
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function closeEntry(closed: Extract<Entry, { kind: "close" }>["call"]): Entry {
  return { kind: "close", call: closed };
}

Deno.test("SharedEntries.holdWith() takes what fits, to the last unit, and nothing that does not", async () => {
  await using at = await scene();
  assert.equal(await at.hold({ heldE8: CREDIT_E8 + 1n }), undefined);
  await at.assertBalance({});
  assert.ok(await at.hold({ heldE8: CREDIT_E8 }));
  assert.equal(await at.hold({ callId: 2, requestId: "req_aaaaaaaaaaaa2", heldE8: 1n }), undefined);
  await at.assertBalance({ held: CREDIT_E8 });
});

for (const reason of ["full", "unavailable", "failed"] as const) {
  Deno.test(`Ledger keeps every balance when storage refuses as ${reason}`, async () => {
    await using at = await scene();
    at.refuse(reason);
    // What is refused alone is told to the operator, at which this world throws.
    const error = reason === "failed" ? { message: "refused" } : { error: "storage_full" };
    await assert.rejects(at.hold(), error);
    await at.assertBalance({});
    at.refuse(undefined);
    const hold = (await at.hold())!;
    at.refuse(reason);
    for (const heldE8 of [5_000n, 10n]) {
      const to = { ...call, heldE8 };
      const move = at.ledger.shared.moveWith(hold, to, { kind: "rehold", call: to });
      await assert.rejects(move, { error: "storage_full" });
      await at.assertBalance({ held: 1_000n });
      assert.equal(hold.call.heldE8, 1_000n);
    }
    await assert.rejects(at.ledger.shared.closeWith(hold, outcome, closeEntry), {
      error: "storage_full",
    });
    await at.assertBalance({ held: 1_000n });
    assert.equal(hold.closed, false);
    at.refuse(undefined);
    assert.equal((await at.ledger.shared.closeWith(hold, outcome, closeEntry)).ok, true);
    await at.assertBalance({ spent: 600n });
  });
}

for (const reason of ["conflict", "missing"] as const) {
  Deno.test(`Ledger leaves a hold open when what belongs to it is refused as ${reason}`, async () => {
    await using at = await scene();
    const hold = (await at.hold())!;
    at.refuse(reason);
    const to = { ...call, heldE8: 10n };
    assert.equal(await at.ledger.shared.moveWith(hold, to, { kind: "rehold", call: to }), false);
    assert.deepEqual(await at.ledger.shared.closeWith(hold, outcome, closeEntry), {
      ok: false,
      reason,
    });
    await at.assertBalance({ held: 1_000n });
    at.refuse(undefined);
    assert.equal((await at.ledger.shared.closeWith(hold, outcome, closeEntry)).ok, true);
    await at.assertBalance({ spent: 600n });
  });
}

Deno.test("SharedEntries.moveWith() moves a hold up and down, and only as far as the balance goes", async () => {
  await using at = await scene();
  const hold = (await at.hold())!;
  const moves = [[5_000n, true], [10n, true], [CREDIT_E8, true], [CREDIT_E8 + 1n, false]] as const;
  for (const [heldE8, moved] of moves) {
    const to = { ...call, heldE8 };
    assert.equal(await at.ledger.shared.moveWith(hold, to, { kind: "rehold", call: to }), moved);
    await at.assertBalance({ held: hold.call.heldE8 });
    assert.equal(hold.call.heldE8, moved ? heldE8 : CREDIT_E8);
  }
});

Deno.test("SharedEntries.moveWith() lets nobody spend what a move gives back before it is written", async () => {
  await using at = await scene();
  const hold = (await at.hold({ heldE8: CREDIT_E8 }))!;
  const to = { ...call, heldE8: 10n };
  const move = at.ledger.shared.moveWith(hold, to, { kind: "rehold", call: to });
  assert.equal(await at.hold({ callId: 2, requestId: "req_aaaaaaaaaaaa2" }), undefined);
  assert.equal(await move, true);
  assert.ok(await at.hold({ callId: 2, requestId: "req_aaaaaaaaaaaa2" }));
  await at.assertBalance({ held: 1_010n });
});

Deno.test("SharedEntries.closeWith() closes once, and a closed hold moves no more", async () => {
  await using at = await scene();
  const hold = (await at.hold())!;
  const closes = await Promise.all(
    [1, 2].map(() => at.ledger.shared.closeWith(hold, outcome, closeEntry)),
  );
  assert.deepEqual(closes.map(({ ok }) => ok), [true, false]);
  const to = { ...call, heldE8: 10n };
  assert.equal(await at.ledger.shared.moveWith(hold, to, { kind: "rehold", call: to }), false);
  await at.assertBalance({ spent: 600n });
});

Deno.test("Ledger.adopt() goes on with a hold that outlived its process, and counts it once", async () => {
  await using at = await scene();
  await at.hold();
  at.world.crash();
  const { ledger } = await at.world.start({ isIdle: true });
  const hold = ledger.adopt(call);
  await at.assertBalance({ held: 1_000n });
  const closed = await ledger.shared.closeWith(hold, { ...outcome, billable: false }, closeEntry);
  assert.equal(closed.ok && closed.call.lossE8, 600n);
  await at.assertBalance({});
});
