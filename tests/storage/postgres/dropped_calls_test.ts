/**
 * Old calls are deleted out of a sealed ledger, and everything adds up as before: balances, sums and
 * whatever is written behind them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { dropOldCalls } from "../../../src/admin/ledger_check/drop_old_calls.ts";
import { CATALOGUE, openTestAdmin } from "../../admin/test_admin.ts";
import { openCall, outcome } from "../../admin/ledger_calls.ts";
import { SETTLED } from "../../admin/planted_faults.ts";
import { commitOne } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { DAY_MS, haveFilm, type Place, sealerOf, verify, withHistory } from "./sealed_history.ts";

const server = postgresOfFile();

const AT_ONCE = () => Promise.resolve();

function drop(
  { storage, madeAt }: Place,
  pause = AT_ONCE,
  { afterDays = 1, atOnce = 200 } = {},
) {
  const beforeMs = madeAt + afterDays * DAY_MS;
  return dropOldCalls({ seals: storage.seals!, beforeMs, pause, atOnce });
}

Deno.test("calls are deleted, and the rest adds up and goes on", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    const { storage, madeAt } = place;
    const before = await checkLedger(storage);
    const balances = await storage.accounts.loadBalances();
    const last = await storage.accounts.lastBalances();
    assert.deepEqual(await drop(place, AT_ONCE, { afterDays: -1 }), {
      calls: 0,
      trouble: undefined,
    });
    const { calls, trouble } = await drop(place);
    assert.equal(trouble, undefined);
    assert.ok(calls >= 2, `${calls} calls`);
    const after = await checkLedger(storage);
    assert.deepEqual(after.differences, []);
    assert.equal(after.checked.sums, before.checked.sums);
    assert.ok(after.checked.ledger_rows < before.checked.ledger_rows);
    assert.deepEqual(await verify(storage, true), []);
    assert.deepEqual(await storage.accounts.loadBalances(), balances);
    assert.deepEqual(await storage.accounts.lastBalances(), last);
    assert.deepEqual(await drop(place), { calls: 0, trouble: undefined });
    await storage.beginSession();
    {
      await using admin = await openTestAdmin({
        storage: { ...storage, close: AT_ONCE },
        catalogue: CATALOGUE,
      });
      const { deps } = admin;
      await deps.ledger.close(deps.ledger.hold(openCall(deps, { callId: 90 }))!, outcome(deps, {}));
      const again = { projectId: "paying", amountE8: 1_000_000_000n, at: madeAt };
      const result = await commitOne(storage, { kind: "credit", reference: "first", ...again });
      assert.ok(result.ok && result.repeated === true);
      await storage.writeSums();
      assert.deepEqual(await verify(storage), []);
      assert.deepEqual((await sealerOf(storage, 3).seal(madeAt + 2 * DAY_MS)).differences, []);
      assert.deepEqual(await verify(storage), []);
    }
  });
});

Deno.test("whatever breaks it off, nothing is torn, and it goes on", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    const one = { atOnce: 1 };
    // Inside of runs, too: each time it goes on with the run that was broken off, and comes further.
    for (let last = 1, isDone = false; !isDone; last++) {
      let pauses = 0;
      const breakOff = () => Promise.reject(new Error("stopping"));
      isDone = await drop(place, () => ++pauses === last ? breakOff() : AT_ONCE(), one)
        .then(() => true, (error) => {
          assert.match(String(error), /stopping/);
          return false;
        });
      assert.deepEqual(await verify(place.storage), []);
      assert.deepEqual(await verify(place.storage, true), []);
    }
    assert.deepEqual(await verify(place.storage), []);
    const [row] = await place.hand.askEach("SELECT min(dropped) AS least FROM ledger_seals");
    assert.equal(row!.rows[0]!.least, "2");
  });
});

Deno.test("the call of a film stays with it", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    const { hand, storage } = place;
    await storage.beginSession();
    await haveFilm(place, SETTLED);
    await drop(place);
    assert.equal((await storage.calls.find(SETTLED))?.state, "settled");
    assert.deepEqual(await verify(storage), []);
    await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
    assert.deepEqual((await verify(storage)).map(({ table, id }) => [table, id]), [["calls", "1"]]);
  });
});

Deno.test("what was altered is not swept away", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    const { hand, storage } = place;
    await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
    const { trouble } = await drop(place);
    assert.match(trouble!, /not deleted: ledger_seals 0\/\d+ does not fit/);
    assert.notEqual(await storage.calls.find(SETTLED), undefined);
  });
});

Deno.test("what stays of a dropped run is looked through", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    await drop(place);
    const [first] = await place.storage.ledger.slice(0, 1);
    await place.hand.runEach(`UPDATE ledger SET at = at + 1 WHERE seq = ${first!.seq}`);
    assert.deepEqual(
      (await verify(place.storage)).map(({ table, id }) => [table, id]),
      [["ledger", String(first!.seq)]],
    );
  });
});
