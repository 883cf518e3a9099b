/**
 * Budgets and spend brakes over a real database: who is refused when, and what a
 * restart remembers.
 *
 * @module
 */

import assert from "node:assert/strict";
import { sampleKey, sampleProject } from "../conformance/storage_samples.ts";
import { withDatabasePath } from "../storage/sqlite/temporary_database.ts";
import { until } from "../support/until.ts";
import { boot, booted, outcome, refused, UNIT } from "./spending_process.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

Deno.test("hold() refuses once a daily budget is spent, until the UTC day is over", async () => {
  await booted({ project: { dailyE8: 3n * UNIT } }, async (process) => {
    process.clock.setWall(Date.UTC(2026, 10, 21, 23, 59, 59, 998));
    await process.spend(2n * UNIT);
    await process.spend(UNIT);
    refused(
      process,
      /^The daily budget of 3\.00000000 of this project \(acme\) is reached: 3\.00000000 is spent this day\. A new day begins at 2026-11-22T00:00Z; .*`tollgate projects set acme --daily-budget AMOUNT`.*`tollgate projects resume acme`$/,
    );
    assert.deepEqual(process.spending.view({ scope: "project", id: "acme" }).reached, ["day"]);
    process.clock.advance(1);
    refused(process, /daily budget/);
    process.clock.advance(1);
    await process.spend(UNIT);
    assert.deepEqual(process.spending.view({ scope: "project", id: "acme" }).dayE8, UNIT);
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).monthE8, 4n * UNIT);
  });
});

Deno.test("hold() refuses once a monthly budget is spent, until the calendar month is over", async () => {
  await booted({ project: { monthlyE8: 2n * UNIT, dailyE8: 2n * UNIT } }, async (process) => {
    process.clock.setWall(Date.UTC(2028, 1, 28, 12));
    await process.spend(2n * UNIT);
    // Of both budgets the one is told that lasts longer.
    refused(process, /^The monthly budget .* A new month begins at 2028-03-01T00:00Z;/);
    process.clock.setWall(Date.UTC(2028, 1, 29, 23, 59, 59, 999));
    refused(process, /monthly budget/);
    process.clock.advance(1);
    await process.spend(UNIT);
  });
});

Deno.test("a key's budget stops that key alone, and a project's every key", async () => {
  const settings = { key: { dailyE8: UNIT }, project: { dailyE8: 4n * UNIT } };
  await booted(settings, async (process) => {
    await process.spend(2n * UNIT);
    refused(process, /^The daily budget of 1\.00000000 of this key \(key_1\).*`tollgate keys set/);
    await process.spend(2n * UNIT, { keyId: "key_2" });
    refused(process, /budget of 4\.00000000 of this project \(acme\)/, { keyId: "key_2" });
    assert.equal(process.spending.view({ scope: "key", id: "key_2" }).dayE8, 2n * UNIT);
  });
});

Deno.test("calls under way count: many at once overshoot a budget by less than one of them", async () => {
  await booted({ project: { dailyE8: 5n * UNIT } }, async (process) => {
    const holds = [];
    for (let tries = 0; tries < 50; tries++) {
      try {
        holds.push(process.hold({ heldE8: 2n * UNIT }));
      } catch (error) {
        assert.match((error as Error).message, /calls under way may cost 6\.00000000 on top/);
      }
    }
    assert.equal(holds.length, 3);
    await Promise.all(holds.map((hold) => process.ledger.close(hold, outcome(UNIT))));
    assert.deepEqual(process.spending.view({ scope: "project", id: "acme" }), {
      hourE8: 3n * UNIT,
      dayE8: 3n * UNIT,
      monthE8: 3n * UNIT,
      openE8: 0n,
      pause: undefined,
      reached: [],
    });
    process.hold();
  });
});

Deno.test("an unlimited project spends what it would have been charged, and its open calls count", async () => {
  await booted({ unlimited: true, project: { dailyE8: 3n * UNIT } }, async (process) => {
    const hold = process.hold({ reservedE8: 3n * UNIT });
    refused(process, /0\.00000000 is spent this day, and calls under way may cost 3\.00000000/);
    process.ledger.rehold(hold, { ...hold.call, route: "openai/small", reservedE8: UNIT });
    const other = process.hold();
    await process.ledger.close(hold, outcome(2n * UNIT));
    await process.ledger.close(other, outcome(UNIT));
    refused(process, /3\.00000000 is spent this day\. /);
    assert.equal(process.ledger.balanceOf("acme").avail, 1_000n * UNIT);
  });
});

Deno.test("what an upstream failed at is not spent; what was used is, beyond hold and balance", async () => {
  await booted({ project: { dailyE8: 10n * UNIT } }, async (process) => {
    const failed = outcome(2n * UNIT, { billable: false, result: "upstream_failed" });
    await process.ledger.close(process.hold({ heldE8: 2n * UNIT }), failed);
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).dayE8, 0n);
    await process.ledger.close(process.hold({ heldE8: UNIT }), outcome(7n * UNIT));
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).dayE8, 7n * UNIT);
    assert.equal(process.spending.view({ scope: "key", id: "key_1" }).dayE8, 7n * UNIT);
    await process.ledger.close(process.hold({ heldE8: UNIT }), outcome(1_000n * UNIT));
    assert.equal(process.spending.view({ scope: "key", id: "key_1" }).dayE8, 1_007n * UNIT);
    assert.equal(process.ledger.balanceOf("acme").avail, 0n);
  });
});

Deno.test("resume() begins a reached budget anew, and leaves the others as they are", async () => {
  const budgets = { dailyE8: 2n * UNIT, monthlyE8: 5n * UNIT };
  const project = { scope: "project", id: "acme" } as const;
  await booted({ project: budgets }, async (process) => {
    await process.spend(UNIT);
    assert.equal(await process.resume(project), false);
    for (let day = 0; day < 2; day++) {
      await process.spend(UNIT);
      refused(process, /daily/);
      assert.equal(await process.resume(project), true);
      await process.spend(UNIT);
    }
    assert.equal(process.spending.view(project).monthE8, 5n * UNIT);
    refused(process, /monthly/);
    assert.equal(await process.resume(project), true);
    assert.equal(process.spending.view(project).monthE8, 0n);
    process.hold();
  });
});

Deno.test("a brake pauses an hour of more than so many usual ones, once, until it is resumed", async () => {
  const project = { scope: "project", id: "acme" } as const;
  await booted({ project: { brakeTimes: 3, brakeFloorE8: 4n * UNIT } }, async (process) => {
    // Hours of 2, 4 and nothing: the usual one of those with spending is 3.
    for (const amount of [2n, 4n, 0n]) {
      if (amount > 0n) await process.spend(amount * UNIT);
      process.clock.advance(HOUR_MS);
    }
    await process.spend(9n * UNIT);
    assert.deepEqual(process.paused, []);
    const running = [process.hold(), process.hold()];
    await process.spend(1n);
    assert.deepEqual(process.paused, [project]);
    refused(
      process,
      /^The spend brake has paused this project \(acme\) at 2026-01-01T03:00Z: 9\.00000001 was spent within the hour, where 9\.00000000 is the most that is let pass and 3\.00000000 is usual\. The operator resumes it with `tollgate projects resume acme`$/,
    );
    // What runs goes on, and is told of no more.
    for (const hold of running) await process.ledger.close(hold, outcome(UNIT));
    assert.equal(process.paused.length, 1);
    process.clock.advance(40 * DAY_MS);
    refused(process, /spend brake/);
    assert.equal(await process.resume(project), true);
    await process.spend(UNIT);
  });
});

Deno.test("a resumed project is not paused by what it had spent before in the same hour", async () => {
  const project = { scope: "project", id: "acme" } as const;
  await booted({ project: { brakeTimes: 2, brakeFloorE8: 4n * UNIT } }, async (process) => {
    await process.spend(5n * UNIT);
    assert.equal(process.paused.length, 1);
    assert.equal(await process.resume(project), true);
    await process.spend(4n * UNIT);
    assert.equal(process.paused.length, 1);
    await process.spend(1n);
    assert.equal(process.paused.length, 2);
  });
});

Deno.test("a brake leaves a project alone that has just begun, up to the floor", async () => {
  await booted({ project: { brakeTimes: 2 } }, async (process) => {
    await process.spend(UNIT);
    assert.deepEqual(process.paused, []);
    await process.spend(1n);
    assert.deepEqual(process.paused, [{ scope: "project", id: "acme" }]);
  });
});

Deno.test("what is usual is the mean of the last seven days, and no older", async () => {
  await booted({}, async (process) => {
    await process.spend(100n * UNIT);
    process.clock.advance(HOUR_MS);
    await process.spend(2n * UNIT);
    process.clock.advance(7 * DAY_MS);
    // The brake is set only now; what came before it counts.
    process.directory.putKey(sampleKey({ budgets: { brakeTimes: 2, brakeFloorE8: 1n } }));
    await process.spend(4n * UNIT);
    await until("the brake", async () => {
      if (process.paused.length === 0) await process.spend(1n);
      return process.paused.length > 0;
    });
    assert.deepEqual(process.paused, [{ scope: "key", id: "key_1" }]);
    refused(process, /this key \(key_1\).* 4\.00000000 is the most .* 2\.00000000 is usual/);
    await process.spend(UNIT, { keyId: "key_2" });
  });
});

Deno.test("a restart, also after a crash, finds the same sums, pauses and resumptions", async () => {
  const project = { scope: "project", id: "acme" } as const;
  const key = { scope: "key", id: "key_1" } as const;
  const settings = {
    project: { dailyE8: 100n * UNIT, brakeTimes: 5, brakeFloorE8: 50n * UNIT },
    key: { brakeTimes: 2, brakeFloorE8: 6n * UNIT },
  };
  await withDatabasePath(async (path) => {
    const first = await boot(path, settings);
    await first.spending.load();
    const start = first.clock.now();
    await first.spend(3n * UNIT);
    first.clock.advance(2 * DAY_MS);
    await first.spend(5n * UNIT);
    await first.spend(4n * UNIT);
    assert.equal(await first.resume(key), true);
    await first.spend(7n * UNIT);
    const views = [project, key].map((subject) => first.spending.view(subject));
    assert.equal(views[0]!.dayE8, 16n * UNIT);
    assert.equal(views[1]!.hourE8, 7n * UNIT);
    assert.notEqual(views[1]!.pause, undefined);
    // As a crash leaves it: what waits for its table is not written.
    await first.stop();

    for (const writesSums of [false, true]) {
      const again = await boot(path, settings);
      again.clock.advance(first.clock.now() - start);
      await again.spending.load();
      assert.deepEqual([project, key].map((subject) => again.spending.view(subject)), views);
      refused(again, /has paused this key/);
      await again.spend(1n, { keyId: "key_2" });
      views[0] = { ...views[0]!, ...plus(views[0]!, 1n) };
      assert.deepEqual(again.spending.view(project), views[0]);
      if (writesSums) await again.storage.writeSums();
      await again.stop();
    }
    const last = await boot(path, settings);
    last.clock.advance(first.clock.now() - start);
    await last.spending.load();
    assert.deepEqual(last.spending.view(project), views[0]);
    await last.stop();
  });
});

Deno.test("a pause that a crash kept from storage is decided again at the start", async () => {
  const settings = { project: { brakeTimes: 2, brakeFloorE8: UNIT } };
  await withDatabasePath(async (path) => {
    const first = await boot(path, {});
    await first.spending.load();
    await first.spend(3n * UNIT);
    await first.stop();
    const again = await boot(path, settings);
    again.directory.putProject(sampleProject({ budgets: settings.project }));
    await again.spending.load();
    assert.deepEqual(again.paused, [{ scope: "project", id: "acme" }]);
    refused(again, /spend brake/);
    await again.stop();
  });
});

Deno.test("a clock that is set back gives no budget twice", async () => {
  await booted({ project: { dailyE8: 2n * UNIT } }, async (process) => {
    process.clock.setWall(Date.UTC(2026, 5, 10, 12));
    await process.spend(2n * UNIT);
    process.clock.setWall(Date.UTC(2026, 5, 8, 12));
    refused(process, /daily budget/);
    process.clock.setWall(Date.UTC(2026, 5, 9, 1));
    process.hold();
  });
});

Deno.test("a clock that is put right around midnight finds every day as it was", async () => {
  await booted({ project: { dailyE8: 3n * UNIT } }, async (process) => {
    const project = { scope: "project", id: "acme" } as const;
    const midnight = Date.UTC(2026, 5, 1);
    process.clock.setWall(midnight - 1_000);
    await process.spend(3n * UNIT);
    process.clock.setWall(midnight + 1_000);
    await process.spend(2n * UNIT);
    process.clock.setWall(midnight - 500);
    refused(process, /daily budget/);
    process.clock.setWall(midnight + 1_500);
    assert.equal(process.spending.view(project).dayE8, 2n * UNIT);
    assert.equal(process.spending.view(project).monthE8, 2n * UNIT);
    await process.spend(UNIT);
    refused(process, /daily budget/);
  });
});

Deno.test("what ended before midnight and is written after it counts in its own day", async () => {
  await booted({ project: { dailyE8: 3n * UNIT, monthlyE8: 9n * UNIT } }, async (process) => {
    const project = { scope: "project", id: "acme" } as const;
    const midnight = Date.UTC(2026, 5, 2);
    process.clock.setWall(midnight - 1);
    const hold = process.hold();
    const closing = process.ledger.shared.closeWith(
      hold,
      outcome(UNIT),
      (call) => ({ kind: "close", call }),
    );
    process.clock.setWall(midnight);
    const spending = process.spend(2n * UNIT);
    assert.equal((await closing).ok, true);
    await spending;
    assert.equal(process.spending.view(project).dayE8, 2n * UNIT);
    assert.equal(process.spending.view(project).monthE8, 3n * UNIT);
  });
});

Deno.test("a fallback to a dearer route is refused once the other calls have reached a budget", async () => {
  await booted({ project: { dailyE8: 4n * UNIT } }, async (process) => {
    const [first, last] = [process.hold(), process.hold({ heldE8: 2n * UNIT })];
    const { model, provider, route, priceVersion } = first.call;
    const move = (hold: typeof first, heldE8: bigint) =>
      process.ledger.rehold(hold, { model, provider, route, priceVersion, heldE8 });
    // 2 of others: room for a call, however dear.
    assert.equal(move(first, 9n * UNIT), true);
    assert.equal(move(last, 3n * UNIT), false);
    assert.equal(last.call.heldE8, 2n * UNIT);
    assert.equal(move(last, 2n * UNIT), true);
    assert.equal(move(first, UNIT), true);
    assert.equal(move(last, 3n * UNIT), true);
    await process.commits.flush();
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).openE8, 4n * UNIT);
  });
});

Deno.test("a brake that is pulled while a budget is begun anew stays so, also after a start", async () => {
  const project = { scope: "project", id: "acme" } as const;
  const settings = { project: { dailyE8: 3n * UNIT, brakeTimes: 2, brakeFloorE8: 4n * UNIT } };
  await withDatabasePath(async (path) => {
    const first = await boot(path, settings);
    await first.spending.load();
    const running = first.hold({ heldE8: 2n * UNIT });
    await first.spend(3n * UNIT);
    refused(first, /daily budget/);
    const isResumed = await first.spending.resume(project, async (state) => {
      await first.commits.commit({ kind: "put_spend_state", state });
      await first.ledger.close(running, outcome(2n * UNIT));
    });
    assert.equal(isResumed, true);
    refused(first, /spend brake/);
    const { pause, dayE8 } = first.spending.view(project);
    assert.equal(dayE8, 2n * UNIT);
    await first.stop();
    const second = await boot(path, settings);
    await second.spending.load();
    assert.deepEqual(second.spending.view(project).pause, pause);
    assert.equal(second.spending.view(project).dayE8, dayE8);
    await second.stop();
  });
});

Deno.test("what calls of a deleted key spend is its project's alone, and nothing of it is remembered", async () => {
  await booted({ key: { dailyE8: UNIT } }, async (process) => {
    const key = { scope: "key", id: "key_1" } as const;
    await process.spend(UNIT);
    const running = process.hold({ keyId: "key_2" });
    for (const id of ["key_1", "key_2"]) {
      process.directory.removeKey(id);
      process.spending.forgetKey(id);
    }
    await process.ledger.close(running, outcome(UNIT));
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).dayE8, 2n * UNIT);
    assert.equal(process.spending.view({ scope: "key", id: "key_2" }).dayE8, 0n);
    assert.equal(process.spending.view(key).dayE8, 0n);
    assert.equal(process.spending.view(key).openE8, 0n);
  });
});

Deno.test("a call that cannot be written is not spent", async () => {
  await booted({ project: { dailyE8: 2n * UNIT } }, async (process) => {
    const hold = process.hold({ heldE8: 2n * UNIT });
    await process.commits.flush();
    const { commitThen } = process.commits;
    process.commits.commitThen = (_entry, done) =>
      queueMicrotask(() => done({ ok: false, reason: "full", message: "no space" }));
    await assert.rejects(process.ledger.close(hold, outcome(2n * UNIT)), { error: "storage_full" });
    process.commits.commitThen = commitThen;
    await until("the release", () => !process.ledger.troubled);
    assert.equal(process.spending.view({ scope: "project", id: "acme" }).dayE8, 0n);
    process.hold();
  });
});

function plus(view: { hourE8: bigint; dayE8: bigint; monthE8: bigint }, amountE8: bigint) {
  return {
    hourE8: view.hourE8 + amountE8,
    dayE8: view.dayE8 + amountE8,
    monthE8: view.monthE8 + amountE8,
  };
}
