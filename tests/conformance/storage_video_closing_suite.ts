/**
 * The storage suite's part about what a change of a video task takes with it: its
 * call, its hold, its message; all or nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  acmeBalance,
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";
import {
  changeEntry,
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  failedTask,
  nextTask,
  numberedId,
  releasedTaskCall,
  sampleMessage,
  sampleTask,
  taskCall,
} from "./storage_video_samples.ts";

/** Registers the tests about what a change of a video task takes with it. */
export function testVideoClosing(test: StorageTest): void {
  test("change_video closes its call in the same entry: balance, ledger, usage, outbox", async (storage) => {
    await fundProject(storage, 250n);
    const [film, broken] = [sampleTask(), sampleTask({ callId: 2 })];
    const completed = completedTask(claimedTask(film));
    const failed = failedTask(claimedTask(broken));
    const close = closedTaskCall(film, { lossE8: 4n });
    const release = releasedTaskCall(broken);
    const message = sampleMessage();
    assert.deepEqual(
      words(
        await storage.commitBatch([
          createEntry(film),
          createEntry(broken),
          changeEntry(claimedTask(film)),
          { kind: "change_video", task: completed, close, webhook: message },
          changeEntry(claimedTask(broken)),
          { kind: "change_video", task: failed, close: release },
        ]),
      ),
      ["ok", "ok", "ok", "ok", "ok", "ok"],
    );
    assert.deepEqual(await storage.videos.list({ order: "asc", limit: 9 }), [completed, failed]);
    assert.deepEqual(await storage.calls.find(1), close);
    assert.deepEqual(await storage.calls.find(2), release);
    assert.deepEqual(await acmeBalance(storage), { avail: 220n, held: 0n });
    assert.deepEqual(
      (await storage.ledger.slice(1, 10)).map((row) => [row.kind, row.callId, row.amountE8]),
      [["settle", 1, 30n], ["loss", 1, 4n], ["release", 2, 0n]],
    );
    const [usage] = (await storage.calls.usageReport({ groupBy: ["model"] })).lines;
    assert.deepEqual(
      [usage!.model, usage!.calls, usage!.costE8, usage!.chargedE8, usage!.lossE8],
      ["video-2", 2, 20n, 30n, 4n],
    );
    assert.deepEqual(await storage.webhooks.due(NOON_ISH, { most: 10, perProject: 10 }), [message]);
    assert.deepEqual((await storage.ledger.alteredRows("calls", 0, 10)).altered, []);
  });

  test("change_video moves its hold to another route", async (storage) => {
    await fundProject(storage, 150n);
    const task = sampleTask();
    const route = { provider: "engine", route: "engine/video" };
    const moved = claimedTask(task, route);
    const move = taskCall(moved, { heldE8: 140n, priceVersion: 2 });
    const dearest = { ...move, heldE8: 151n };
    assert.deepEqual(
      words(
        await commitEach(storage, [
          createEntry(task),
          { kind: "change_video", task: moved, move: dearest },
          { kind: "change_video", task: moved, move: { ...move, callId: 2 } },
          { kind: "change_video", task: moved, move },
        ]),
      ),
      ["ok", "conflict", "conflict", "ok"],
    );
    assert.deepEqual(await storage.videos.find(task.id), moved);
    assert.deepEqual(await storage.calls.find(1), { ...move, state: "open" });
    assert.deepEqual(await acmeBalance(storage), { avail: 10n, held: 140n });
  });

  test("an entry whose later step is refused changes nothing, alone or in company", async (storage) => {
    await fundProject(storage, 1_000n);
    const [task, other] = [sampleTask(), sampleTask({ callId: 2 })];
    const claimed = claimedTask(task);
    const completed = completedTask(claimed);
    const close = closedTaskCall(task);
    const message = sampleMessage();
    await commitEach(storage, [
      createEntry(task),
      createEntry(other),
      {
        kind: "change_video",
        task: claimed,
        webhook: sampleMessage({ id: numberedId("evt_", 9) }),
      },
    ]);
    const next = nextTask(claimed, { progress: 9 });
    const refused: readonly (readonly [Entry, string])[] = [
      [{ kind: "change_video", task: completed, close: { ...close, heldE8: 99n } }, "conflict"],
      [{ kind: "change_video", task: completed, close: { ...close, chargedE8: 101n } }, "failed"],
      [{ kind: "change_video", task: completed, close: closedTaskCall(other) }, "conflict"],
      [
        { kind: "change_video", task: completed, close: { ...close, projectId: "nobody" } },
        "missing",
      ],
      [
        {
          kind: "change_video",
          task: completed,
          close,
          webhook: sampleMessage({ id: numberedId("evt_", 9) }),
        },
        "conflict",
      ],
      [
        {
          kind: "change_video",
          task: next,
          move: taskCall(task, { heldE8: 50n }),
          close: { ...close, heldE8: 51n },
          webhook: message,
        },
        "conflict",
      ],
      [
        {
          kind: "delete_video",
          taskId: task.id,
          revision: 2,
          close: releasedTaskCall(task, { heldE8: 1n }),
        },
        "conflict",
      ],
      [
        { kind: "delete_video", taskId: task.id, revision: 2, close: releasedTaskCall(other) },
        "conflict",
      ],
    ];
    const assertUntouched = async () => {
      assert.deepEqual(await storage.videos.list({ order: "asc", limit: 9 }), [claimed, other]);
      assert.equal((await storage.webhooks.due(NOON_ISH, { most: 10, perProject: 10 })).length, 1);
    };
    for (const [entry, word] of refused) {
      assert.deepEqual(words([await commitOne(storage, entry)]), [word]);
      assert.deepEqual(await acmeBalance(storage), { avail: 800n, held: 200n });
      await assertUntouched();
    }
    const hold: Entry = { kind: "hold", call: sampleOpenCall({ callId: 20 }) };
    const settled: Entry = { kind: "close", call: sampleClosedCall({ callId: 21 }) };
    const together = await storage.commitBatch([hold, ...refused.map(([entry]) => entry), settled]);
    assert.deepEqual(words(together), ["ok", ...refused.map(([, word]) => word), "ok"]);
    await assertUntouched();
    assert.deepEqual(await acmeBalance(storage), { avail: 670n, held: 300n });
    assert.deepEqual(
      (await storage.ledger.slice(1, 10)).map((row) => [row.seq, row.kind, row.callId]),
      [[2, "settle", 21]],
    );
    const [usage] = (await storage.calls.usageReport({ groupBy: [] })).lines;
    assert.equal(usage!.calls, 1);
  });

  test("delete_video releases what is held; a finished task keeps its settlement", async (storage) => {
    await fundProject(storage, 300n);
    const [queued, finished] = [sampleTask(), sampleTask({ callId: 2 })];
    const completed = completedTask(claimedTask(finished));
    assert.deepEqual(
      words(
        await commitEach(storage, [
          createEntry(queued),
          createEntry(finished),
          changeEntry(claimedTask(finished)),
          { kind: "change_video", task: completed, close: closedTaskCall(finished) },
          {
            kind: "delete_video",
            taskId: finished.id,
            revision: 3,
            close: closedTaskCall(finished),
          },
          { kind: "delete_video", taskId: finished.id, revision: 3 },
          { kind: "delete_video", taskId: queued.id, revision: 1, close: releasedTaskCall(queued) },
          createEntry(sampleTask({ callId: 3, id: queued.id })),
        ]),
      ),
      ["ok", "ok", "ok", "ok", "conflict", "ok", "ok", "ok"],
    );
    assert.deepEqual(await acmeBalance(storage), { avail: 170n, held: 100n });
    assert.deepEqual(
      (await storage.ledger.slice(1, 10)).map((row) => [row.kind, row.amountE8]),
      [["settle", 30n], ["release", 0n]],
    );
    assert.equal((await storage.calls.find(2))!.state, "settled");
  });
}
