/**
 * A node's share of a budget: what it covers, and what is said of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { BudgetShare } from "../../src/accounts/budget_share.ts";
import { Spender } from "../../src/accounts/spender.ts";
import { UnsummedHours } from "../../src/accounts/unsummed_spend.ts";
import type { BudgetAnswer } from "../../src/storage/ports/budget_pools.ts";

const DAY = 20_000;
const HOUR = DAY * 24 + 1;

function newShare() {
  const spender = new Spender({ scope: "project", id: "acme" }, HOUR);
  const unsummed = new UnsummedHours();
  const share = new BudgetShare({ spender, unsummed, period: "day", number: DAY });
  share.mostE8 = 1_000n;
  return { share, spender, unsummed };
}

function answer(holdsE8: bigint, changes: Partial<BudgetAnswer> = {}): BudgetAnswer {
  return { holdsE8, elsewhereE8: 0n, isWanted: false, ...changes };
}

/** With so much of it, of which nothing is used. */
function leased(amountE8: bigint) {
  const found = newShare();
  found.share.wait(1n);
  found.share.put(found.share.urgentAsk(0)!, answer(amountE8), 0);
  found.share.forgetWaiting();
  return found;
}

Deno.test("a call fits beside those under way, what is spent, and what is promised", () => {
  const { share, spender, unsummed } = leased(100n);
  assert.equal(share.fits(100n), true);
  spender.openE8 += 30n;
  unsummed.add(20n, HOUR);
  assert.equal(share.fits(50n), true);
  assert.equal(share.fits(51n), false);
  share.promise(10n);
  assert.equal(share.fits(41n), false);
});

Deno.test("what the sums have is nobody's share any more", () => {
  const { share, unsummed } = leased(100n);
  unsummed.add(40n, HOUR);
  unsummed.written(40n, HOUR);
  const before = unsummed.within(share.range);
  unsummed.learn(new Map([[HOUR, 10n]]));
  share.shrink(before - unsummed.within(share.range));
  assert.equal(share.fits(60n), true);
  assert.equal(share.fits(61n), false, "30 of them are in the sums, and 10 are not");
});

Deno.test("who waits asks with all that is not in use, so that it is all one amount", () => {
  const { share, spender } = leased(100n);
  spender.openE8 += 30n;
  share.wait(80n);
  share.wait(5n);
  const ask = share.urgentAsk(1_000)!;
  const { holdsE8, needE8, lackE8, wishE8 } = ask;
  assert.deepEqual([holdsE8, needE8, lackE8, wishE8], [30n, 80n, 85n, 1_600n]);
  assert.equal(share.fits(1n), false, "until it is answered nobody takes it");
  share.put(ask, answer(100n), 1_000);
  assert.equal(share.fits(70n), true, "as much as before is an answer as any other");
  assert.equal(share.urgentAsk(1_040), undefined);
});

Deno.test("what is not used goes back after a while, or where it is wanted", () => {
  const { share } = leased(100n);
  share.use(1_000);
  const look = share.ask(1_250)!;
  assert.deepEqual([look.holdsE8, look.needE8, look.wishE8], [100n, 0n, 0n]);
  assert.equal(share.put(look, answer(100n), 1_250), false);
  assert.equal(share.fits(100n), true, "it was only looked whether it is wanted");
  assert.equal(share.put(share.ask(1_500)!, answer(100n, { isWanted: true }), 1_500), true);
  const back = share.ask(1_500)!;
  assert.equal(back.holdsE8, 0n);
  share.put(back, answer(0n), 1_500);
  assert.equal(share.ask(1_750), undefined);
  const idle = leased(50n).share;
  idle.use(0);
  assert.equal(idle.ask(1_999)!.holdsE8, 50n);
  assert.equal(idle.ask(2_000)!.holdsE8, 0n);
});

Deno.test("a call that has cost more than it held is told of", () => {
  const { share, unsummed } = leased(100n);
  unsummed.add(150n, HOUR);
  assert.equal(share.ask(10)!.holdsE8, 150n);
});

Deno.test("after an exchange of which nothing was heard the share is what is in use", () => {
  const { share, spender } = leased(100n);
  spender.openE8 += 30n;
  share.wait(80n);
  share.urgentAsk(100);
  share.doubt();
  share.forgetWaiting();
  assert.equal(share.fits(1n), false);
  assert.equal(share.ask(200)!.holdsE8, 30n, "it is said again, whatever others may have heard");
});
