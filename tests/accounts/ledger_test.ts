import assert from "node:assert/strict";
import { closeAbandoned, closeCall } from "../../src/accounts/close_call.ts";
import { GatewayError } from "../../src/errors.ts";
import { sampleResponse } from "../conformance/storage_responses_suite.ts";
import { openLedger, openOf as call, outcomeOf as outcome } from "../support/ledger_bench.ts";
import { until } from "../support/until.ts";

for (
  const [name, change, saleE8, billable, charged, loss, state] of [
    ["pays the sale when it is within the hold", {}, 60n, true, 60n, 0n, "settled"],
    ["pays the hold at most; the rest is the operator's", {}, 130n, true, 100n, 30n, "settled"],
    ["pays nothing when unlimited", { unlimited: true, heldE8: 0n }, 60n, true, 0n, 0n, "settled"],
    ["pays nothing for what failed; its price is lost", {}, 60n, false, 0n, 60n, "released"],
    ["pays nothing for nothing", {}, 0n, false, 0n, 0n, "released"],
  ] as const
) {
  Deno.test(`closeCall() ${name}`, () => {
    const closed = closeCall({ ...call, ...change }, { ...outcome, saleE8, billable }, 2_000);
    assert.equal(closed.chargedE8, charged);
    assert.equal(closed.lossE8, loss);
    assert.equal(closed.state, state);
    assert.equal(closed.saleE8, saleE8);
    assert.equal("billable" in closed, false);
  });
}

Deno.test("closeAbandoned() gives the hold back and counts it as the most that was lost", () => {
  const closed = closeAbandoned(call, 2_000);
  assert.equal(closed.state, "released");
  assert.equal(closed.chargedE8, 0n);
  assert.equal(closed.lossE8, 100n);
});

Deno.test("Ledger takes holds while they fit, and closes each exactly once", async () => {
  await using parts = await openLedger();
  const { ledger } = parts;
  const first = ledger.hold(call)!;
  const second = ledger.hold({ ...call, callId: 2 })!;
  assert.equal(ledger.hold({ ...call, callId: 3 }), undefined);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 50n, held: 200n });
  await ledger.close(first, outcome);
  await assert.rejects(ledger.close(first, outcome), /closed already/);
  await ledger.close(second, { ...outcome, billable: false, saleE8: 0n });
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 190n, held: 0n });
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger settles a call on what another's large answer, not written yet, has given back", async () => {
  await using parts = await openLedger();
  const { ledger } = parts;
  const large = [1, 2].map((callId) => ledger.hold({ ...call, callId })!);
  await parts.commits.flush();
  const nothing = { ...outcome, billable: false, saleE8: 0n };
  const closing = large.map((hold) => {
    const response = sampleResponse({
      id: `resp_${hold.call.callId}`,
      projectId: "p",
      callId: hold.call.callId,
      body: JSON.stringify("x".repeat(700_000)),
    });
    return ledger.close(hold, nothing, () => ({ kept: { response } }));
  });
  const last = ledger.hold({ ...call, callId: 3, heldE8: 250n })!;
  const closed = await ledger.close(last, outcome);
  await Promise.all(closing);
  assert.equal(closed.chargedE8, 60n);
  assert.deepEqual(parts.trouble, []);
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger moves a hold only as far as the balance goes", async () => {
  await using parts = await openLedger();
  const { ledger } = parts;
  const hold = ledger.hold(call)!;
  const to = { model: "m", provider: "b", route: "b/m", priceVersion: 1 };
  assert.equal(ledger.rehold(hold, { ...to, heldE8: 251n }), false);
  assert.equal(hold.call.route, "a/m");
  assert.equal(ledger.rehold(hold, { ...to, heldE8: 250n }), true);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 0n, held: 250n });
  await ledger.close(hold, outcome);
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

for (const isWritten of [true, false]) {
  Deno.test(`Ledger charges beyond a hold down to the balance (hold written: ${isWritten})`, async () => {
    await using parts = await openLedger();
    const { ledger, storage } = parts;
    const hold = ledger.hold(call)!;
    const other = ledger.hold({ ...call, callId: 2, heldE8: 50n })!;
    if (isWritten) await parts.commits.flush();
    // 100 held, 100 that nobody holds: the other call's 50 are not touched.
    const closed = await ledger.close(hold, { ...outcome, saleE8: 230n });
    assert.deepEqual([closed.heldE8, closed.chargedE8, closed.lossE8], [200n, 200n, 30n]);
    assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 0n, held: 50n });
    assert.equal((await storage.calls.find(1))?.heldE8, 200n);
    // With nothing left its own hold is all there is.
    const last = await ledger.close(other, { ...outcome, saleE8: 60n });
    assert.deepEqual([last.heldE8, last.chargedE8, last.lossE8], [50n, 50n, 10n]);
    assert.deepEqual(await storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
    assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 0n, held: 0n });
    assert.deepEqual(parts.trouble, []);
  });
}

Deno.test("Ledger raises no hold for what is not charged", async () => {
  await using parts = await openLedger();
  const { ledger } = parts;
  const failed = { ...outcome, billable: false, saleE8: 130n };
  assert.equal((await ledger.close(ledger.hold(call)!, failed)).heldE8, 100n);
  const unlimited = ledger.hold({ ...call, callId: 2, unlimited: true, heldE8: 0n })!;
  const closed = await ledger.close(unlimited, { ...outcome, saleE8: 130n });
  assert.deepEqual([closed.heldE8, closed.chargedE8, closed.lossE8], [0n, 0n, 0n]);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
});

Deno.test("Ledger gives a raised hold back whose close cannot be written", async () => {
  await using parts = await openLedger();
  const { ledger, disk } = parts;
  const hold = ledger.hold(call)!;
  await parts.commits.flush();
  disk.full = true;
  await assert.rejects(ledger.close(hold, { ...outcome, saleE8: 130n }), GatewayError);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 120n, held: 130n });
  disk.full = false;
  parts.waits.shift()!();
  while (ledger.troubled) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger charges nobody while the disk is full, takes no calls, and recovers by itself", async () => {
  await using parts = await openLedger();
  const { ledger, disk } = parts;
  const hold = ledger.hold(call)!;
  await parts.commits.flush();
  disk.full = true;
  const error = await ledger.close(hold, outcome).catch((error) => error);
  assert.equal(error instanceof GatewayError && error.code, "storage_full");
  assert.equal(ledger.troubled, true);
  assert.throws(() => ledger.hold({ ...call, callId: 2 }), GatewayError);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 150n, held: 100n });
  disk.full = false;
  parts.waits.shift()!();
  while (ledger.troubled) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  const stored = await parts.storage.calls.find(1);
  assert.equal(stored?.state, "released");
  assert.equal(stored?.state === "released" && stored.chargedE8, 0n);
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger writes everything that waited for the disk in one go", async () => {
  await using parts = await openLedger();
  const { ledger, disk } = parts;
  const holds = [1, 2, 3, 4].map((callId) => ledger.hold({ ...call, callId, heldE8: 50n })!);
  await parts.commits.flush();
  disk.full = true;
  const closes = await Promise.allSettled(holds.map((hold) => ledger.close(hold, outcome)));
  assert.deepEqual(closes.map(({ status }) => status), Array(4).fill("rejected"));
  disk.full = false;
  assert.equal(parts.waits.length, 1);
  parts.waits.shift()!();
  while (ledger.troubled) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(parts.waits, []);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

for (const until of ["its close", "after its close"]) {
  Deno.test(`Ledger closes a call whose hold could not be moved until ${until}`, async () => {
    await using parts = await openLedger();
    const { ledger, disk } = parts;
    const hold = ledger.hold(call)!;
    await parts.commits.flush();
    disk.full = true;
    ledger.rehold(hold, { model: "m", provider: "b", route: "b/m", priceVersion: 1, heldE8: 200n });
    await parts.commits.flush();
    if (until === "its close") {
      disk.full = false;
      await ledger.close(hold, outcome);
    } else {
      await assert.rejects(ledger.close(hold, outcome), GatewayError);
      disk.full = false;
      parts.waits.shift()!();
      while (ledger.troubled) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const charged = until === "its close" ? 60n : 0n;
    const stored = await parts.storage.calls.find(1);
    assert.equal(stored?.route, "b/m");
    assert.equal(stored?.state !== "open" && stored?.chargedE8, charged);
    assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n - charged, held: 0n });
    assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
  });
}

Deno.test("Ledger keeps to the disk's balance where a close depends on one that is not written", async () => {
  await using parts = await openLedger();
  const { ledger, disk } = parts;
  const first = ledger.hold({ ...call, heldE8: 250n })!;
  await parts.commits.flush();
  disk.full = true;
  const refused = assert.rejects(ledger.close(first, outcome), GatewayError);
  // Only what the first call gives back makes room for this one.
  const second = ledger.hold({ ...call, callId: 2, heldE8: 150n })!;
  await refused;
  disk.full = false;
  const error = await ledger.close(second, outcome).catch((error) => error);
  assert.equal(error instanceof GatewayError && error.code, "storage_full");
  parts.waits.shift()!();
  while (ledger.troubled) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  assert.deepEqual(await parts.storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger leaves a close that storage never takes to the next start, and serves the others", async () => {
  await using parts = await openLedger();
  const { ledger, storage } = parts;
  const hold = ledger.hold(call)!;
  await parts.commits.flush();
  // A project that is gone: nothing can be booked for it any more.
  parts.disk.refusal = { ok: false, reason: "unavailable", message: "no such disk" };
  const error = await ledger.close(hold, outcome).catch((error) => error);
  assert.equal(error instanceof GatewayError && error.code, "storage_full");
  while (ledger.troubled) {
    parts.waits.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(parts.trouble.includes("no such disk"));
  parts.disk.refusal = undefined;
  const next = ledger.hold({ ...call, callId: 2 })!;
  await ledger.close(next, outcome);
  assert.equal((await storage.calls.find(2))?.state, "settled");
  assert.equal((await storage.calls.find(1))?.state, "open");
});

Deno.test("Ledger takes no calls while its storage is away, and writes what had begun once it is back", async () => {
  await using parts = await openLedger();
  const { ledger, storage, disk } = parts;
  const hold = ledger.hold(call)!;
  await parts.commits.flush();
  disk.isAway = true;
  disk.refusal = { ok: false, reason: "unavailable", message: "nobody answers" };
  await assert.rejects(ledger.close(hold, outcome), GatewayError);
  assert.throws(() => ledger.hold({ ...call, callId: 2 }), { error: "storage_away" });
  for (let tries = 0; tries < 30; tries++) {
    await until("another try", () => parts.waits.length > 0);
    parts.waits.shift()!();
  }
  disk.isAway = false;
  disk.refusal = undefined;
  await until("the release", async () => {
    parts.waits.shift()?.();
    return (await storage.calls.find(1))?.state === "released";
  });
  await until("its end", () => !ledger.troubled);
  assert.deepEqual(parts.trouble, ["nobody answers"]);
  await ledger.close(ledger.hold({ ...call, callId: 2 })!, outcome);
  assert.deepEqual(await storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});

Deno.test("Ledger serves others at once while storage refuses one close alone", async () => {
  await using parts = await openLedger();
  const { ledger, storage, disk } = parts;
  const hold = ledger.hold(call)!;
  await parts.commits.flush();
  disk.refusal = { ok: false, reason: "failed", message: "CHECK constraint failed" };
  const error = await ledger.close(hold, outcome).catch((error) => error);
  assert.equal(error instanceof GatewayError && error.error, "internal_error");
  disk.refusal = undefined;
  assert.equal(ledger.troubled, false);
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 150n, held: 100n });
  await ledger.close(ledger.hold({ ...call, callId: 2 })!, outcome);
  assert.equal((await storage.calls.find(2))?.state, "settled");
  // Without what was refused, its hold goes back.
  parts.waits.shift()!();
  await until("the release", async () => (await storage.calls.find(1))?.state === "released");
  assert.deepEqual(ledger.balanceOf("p"), { projectId: "p", avail: 190n, held: 0n });
  assert.deepEqual(await storage.accounts.loadBalances(), [ledger.balanceOf("p")]);
});
