/**
 * Who waits for more of a balance that several nodes share, and what comes of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Allowances } from "../../src/accounts/allowances.ts";
import { Purse } from "../../src/accounts/purses.ts";
import type { EntryResult, Leased, Refusal } from "../../src/storage/ports/entry.ts";

/** Allowances whose questions are answered by hand, and whose time goes on by waiting. */
function allowancesByHand() {
  const purse = new Purse(0n, 0n);
  const asked: ((result: EntryResult) => void)[] = [];
  let now = 0;
  const allowances = new Allowances({
    commits: { commit: () => new Promise((answer) => asked.push(answer)) },
    purseOf: () => purse,
    monotonic: () => now,
    delay: async (ms) => {
      now += ms;
      await settled();
    },
    onTrouble: (message) => assert.fail(message),
  });
  async function answer(result: EntryResult): Promise<void> {
    await settled();
    const next = asked.shift();
    assert.ok(next, "nothing is asked for");
    next(result);
    await settled();
  }
  return {
    allowances,
    purse,
    /** Answers the next question. */
    lend: (leased: Partial<Leased>) => answer({ ok: true, leased: { ...NOTHING, ...leased } }),
    /** Refuses the next question. */
    refuse: (refusal: Omit<Refusal, "ok">) => answer({ ok: false, ...refusal }),
    answer,
    wait(ms: number): void {
      now += ms;
    },
  };
}

/** Until whatever could go on has done so. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

const NOTHING: Leased = { amountE8: 0n, freeE8: 0n, elsewhereE8: 0n };

Deno.test("who waits has what other calls have settled meanwhile, where nobody lends more", async () => {
  const { allowances, purse, lend } = allowancesByHand();
  const calls = [allowances.lease("acme", 100n), allowances.lease("acme", 100n)];
  await lend({ amountE8: 100n });
  assert.equal(await calls[0], true);
  assert.equal(purse.take(100n), true);
  purse.give(100n);
  await lend({});
  assert.equal(await calls[1], true);
});

Deno.test("nobody is refused for how long a line is, as long as some is leased now and then", async () => {
  const { allowances, purse, lend } = allowancesByHand();
  const calls = Array.from({ length: 5 }, () => allowances.lease("acme", 100n));
  for (const call of calls) {
    // Others have some, and give it back in a while.
    for (let tries = 0; tries < 9; tries++) await lend({ elsewhereE8: 100n });
    await lend({ amountE8: 100n });
    assert.equal(await call, true);
    assert.equal(purse.take(100n), true);
  }
});

Deno.test("who needs much waits some seconds at most beside those who need little", async () => {
  const { allowances, purse, lend } = allowancesByHand();
  const large = allowances.lease("acme", 1_000n);
  let isRefused = false;
  large.then((isLeased) => isRefused = !isLeased);
  for (let tries = 0; tries < 49; tries++) {
    const small = allowances.lease("acme", 10n);
    await lend({ amountE8: 10n, elsewhereE8: 2_000n });
    assert.equal(await small, true);
    assert.equal(purse.take(10n), true);
    await lend({ elsewhereE8: 2_000n });
  }
  assert.equal(isRefused, false);
  await lend({ elsewhereE8: 2_000n });
  assert.equal(await large, false);
});

Deno.test("all have more for whom it is enough, whoever needs too much beside them", async () => {
  const { allowances, lend } = allowancesByHand();
  const calls = [100n, 10n, 10n, 10n].map((needE8) => allowances.lease("acme", needE8));
  await lend({ amountE8: 30n });
  assert.deepEqual(await Promise.all(calls.slice(1)), [true, true, true]);
  await lend({});
  assert.equal(await calls[0], false);
});

Deno.test("what was used of late stays, and so does what calls under way may yet need", async () => {
  const { allowances, purse, lend, answer, wait } = allowancesByHand();
  const call = allowances.lease("acme", 10n);
  await lend({ amountE8: 200n });
  assert.equal(await call, true);
  assert.equal(purse.take(10n), true);
  purse.held = 10n;
  wait(60_000);
  allowances.giveBackIdle();
  assert.equal(purse.avail, 190n);
  purse.held = 0n;
  allowances.giveBackIdle();
  await answer({ ok: true });
  assert.equal(purse.avail, 0n);
});

Deno.test("who waits for what nobody gives back is refused after a second", async () => {
  const { allowances, lend } = allowancesByHand();
  const call = allowances.lease("acme", 100n);
  for (let tries = 0; tries < 10; tries++) await lend({ elsewhereE8: 100n });
  assert.equal(await call, false);
});

Deno.test("who waits is refused at once where nobody has anything", async () => {
  const { allowances, lend } = allowancesByHand();
  const call = allowances.lease("acme", 100n);
  await lend({});
  assert.equal(await call, false);
});

Deno.test("while nothing can be written nobody is told that there is too little", async () => {
  const { allowances, lend, refuse } = allowancesByHand();
  for (
    const [reason, code] of [["unavailable", "storage_away"], ["full", "storage_full"]] as const
  ) {
    const calls = [allowances.lease("acme", 100n), allowances.lease("acme", 100n)];
    const refused = calls.map((call) => assert.rejects(call, { code }));
    await refuse({ reason, message: "The server is away" });
    await Promise.all(refused);
  }
  const unknown = allowances.lease("acme", 100n);
  await refuse({ reason: "missing", message: "No such project" });
  assert.equal(await unknown, false);
  const call = allowances.lease("acme", 100n);
  await lend({ amountE8: 100n });
  assert.equal(await call, true);
});

Deno.test("who waits for an answer that does not come is told so, and the next has what it brings", async () => {
  const { allowances, lend, wait } = allowancesByHand();
  const first = allowances.lease("acme", 100n);
  wait(1_900);
  allowances.giveUpUnanswered();
  wait(200);
  const second = allowances.lease("acme", 100n);
  const refused = [first, second].map((call) => assert.rejects(call, { code: "storage_away" }));
  allowances.giveUpUnanswered();
  await Promise.all(refused);
  const third = allowances.lease("acme", 100n);
  await lend({ amountE8: 100n });
  assert.equal(await third, true);
  allowances.giveUpUnanswered();
  wait(10_000);
  const fourth = allowances.lease("acme", 200n);
  allowances.giveUpUnanswered();
  await lend({ amountE8: 100n });
  assert.equal(await fourth, true);
});

for (
  const [result, left] of [
    [{ ok: false, reason: "unavailable", message: "Away" }, 100n],
    [{ ok: false, reason: "unavailable", message: "Away", mayBeWritten: true }, 0n],
    [{ ok: true }, 0n],
  ] as const
) {
  Deno.test(`${left} is left to spend where giving back comes to ${JSON.stringify(result)}`, async () => {
    const { allowances, purse, answer } = allowancesByHand();
    purse.give(100n);
    const given = allowances.giveBack("acme");
    await answer(result);
    await given;
    assert.equal(purse.avail, left);
  });
}
