import assert from "node:assert/strict";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import { sampleResponse } from "../conformance/storage_responses_suite.ts";
import { sampleClosedCall, sampleOpenCall } from "../conformance/storage_samples.ts";
import {
  claimedTask,
  createEntry,
  sampleAnswer,
  sampleTask,
} from "../conformance/storage_video_samples.ts";
import { close, HeldWriter, hold, names, OK, rehold } from "./held_writer.ts";

Deno.test("new GatheringQueue() gathers what is waited for in a turn and during a sync, in order", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, lingerMs: 60_000 });
  const first = [queue.commit(close(1)), queue.commit(close(2))];
  await writer.started(1);
  const second = [queue.commit(close(3))];
  queue.enqueue(hold(4));
  second.push(queue.commit(close(5)));
  assert.equal(queue.pending, 5);
  assert.equal(writer.batches.length, 1);
  writer.finish();
  assert.deepEqual(await Promise.all(first), [OK, OK]);
  await writer.started(2);
  writer.finish();
  assert.deepEqual(await Promise.all(second), [OK, OK]);
  // The hold has time: its close may come soon, and then one row tells of both.
  assert.equal(queue.pending, 1);
  const flushed = queue.flush();
  await writer.started(3);
  writer.finish();
  await flushed;
  assert.deepEqual(writer.batches.map(names), [
    ["close 1", "close 2"],
    ["close 3", "close 5"],
    ["hold 4"],
  ]);
  assert.equal(queue.pending, 0);
});

Deno.test("new GatheringQueue() writes a hold that nobody follows within the linger time", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, lingerMs: 1 });
  queue.enqueue(hold(1));
  queue.enqueue(hold(2));
  assert.equal(writer.batches.length, 0);
  await writer.started(1);
  queue.enqueue(hold(3));
  writer.finish();
  await writer.started(2);
  writer.finish();
  await queue.flush();
  assert.deepEqual(writer.batches.map(names), [["hold 1", "hold 2"], ["hold 3"]]);
});

Deno.test("new GatheringQueue() lets a close stand for its waiting hold and reholds", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  queue.enqueue(hold(1));
  queue.enqueue(hold(2));
  queue.enqueue(rehold(1));
  const closed = queue.commit(close(1));
  await writer.started(1);
  const later = queue.commit(close(2));
  writer.finish();
  await writer.started(2);
  writer.finish();
  assert.deepEqual(await Promise.all([closed, later]), [OK, OK]);
  assert.deepEqual(writer.batches.map(names), [["close 1"], ["close 2"]]);
});

Deno.test("new GatheringQueue() keeps the answer of a close that stands for its hold", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const response = sampleResponse();
  queue.enqueue(hold(1));
  const closed = queue.commit({ kind: "close", call: sampleClosedCall(), response });
  await writer.started(1);
  writer.finish();
  await closed;
  assert.deepEqual(writer.batches, [
    [{ kind: "close", call: sampleClosedCall(), response }],
  ]);
});

Deno.test("new GatheringQueue() tells refusals, of a hold taken along too, and successes to nobody", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const refusal: EntryResult = { ok: false, reason: "conflict", message: "no" };
  const refused: string[] = [];
  queue.enqueue(hold(1), () => refused.push("hold 1"));
  queue.enqueue(hold(2), () => refused.push("hold 2"));
  queue.enqueue(hold(3), () => refused.push("hold 3"));
  queue.enqueue(rehold(3), () => refused.push("rehold 3"));
  const closed = queue.commit(close(3));
  await writer.started(1);
  writer.finish([refusal]);
  assert.deepEqual(await closed, refusal);
  assert.deepEqual(refused, ["hold 3", "rehold 3"]);
  const flushed = queue.flush();
  await writer.started(2);
  writer.finish([OK, refusal]);
  await flushed;
  assert.deepEqual(refused, ["hold 3", "rehold 3", "hold 2"]);
});

Deno.test("new GatheringQueue() refuses a batch whose write rejects and goes on with the next", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const failed = queue.commit(close(1));
  await writer.started(1);
  const next = queue.commit(close(2));
  writer.fail("worker gone");
  assert.deepEqual(await failed, {
    ok: false,
    reason: "unavailable",
    message: "worker gone",
    mayBeWritten: true,
  });
  await writer.started(2);
  writer.finish();
  assert.deepEqual(await next, OK);
});

Deno.test("new GatheringQueue() is bounded: it refuses new calls, never the end of old ones", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, maxPending: 2 });
  const refused: EntryResult[] = [];
  queue.enqueue(hold(1));
  assert.equal(queue.full, false);
  queue.enqueue(hold(2));
  assert.equal(queue.full, true);
  queue.enqueue(hold(3), (result) => refused.push(result));
  const credit = await queue.commit({ kind: "delete_key", keyId: "k" });
  assert.equal(refused.length, 1);
  assert.equal(credit.ok, false);
  const created = await queue.commit(createEntry(sampleTask({ callId: 3 })));
  assert.equal(created.ok, false);
  const closed = [
    queue.commit(close(9)),
    queue.commit({ kind: "change_video", task: claimedTask(sampleTask({ callId: 8 })) }),
    queue.commit({ kind: "delete_video", taskId: "video_7", revision: 2 }),
  ];
  await writer.started(1);
  writer.finish();
  assert.deepEqual(await Promise.all(closed), [OK, OK, OK]);
  const flushed = queue.flush();
  await writer.started(2);
  writer.finish();
  await flushed;
  assert.equal(queue.full, false);
  assert.deepEqual(writer.batches.map(names), [
    ["close 9", "change_video", "delete_video"],
    ["hold 1", "hold 2"],
  ]);
});

Deno.test("new GatheringQueue() splits what is too much for one transaction", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, maxBatch: 2 });
  const results = [1, 2, 3].map((callId) => queue.commit(close(callId)));
  await writer.started(1);
  writer.finish();
  await writer.started(2);
  writer.finish();
  assert.deepEqual(await Promise.all(results), [OK, OK, OK]);
  assert.deepEqual(writer.batches.map(names), [["close 1", "close 2"], ["close 3"]]);
});

/** A call with a large answer. */
function large(callId: number): Entry {
  return {
    kind: "close",
    call: sampleClosedCall({ callId }),
    response: sampleResponse({ id: `resp_${callId}`, callId, body: "x".repeat(700_000) }),
  };
}

Deno.test("new GatheringQueue() puts no second large answer into a transaction, and lets calls pass", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const ofOthers: Entry = {
    kind: "close",
    call: sampleClosedCall({ callId: 4, projectId: "others" }),
  };
  const unlimited: Entry = {
    kind: "close",
    call: sampleClosedCall({ callId: 5, unlimited: true, heldE8: 0n, chargedE8: 0n }),
  };
  const results = [close(1), large(2), large(3), ofOthers, unlimited, large(6)].map((entry) =>
    queue.commit(entry)
  );
  for (const count of [1, 2, 3]) {
    await writer.started(count);
    writer.finish();
  }
  assert.deepEqual(await Promise.all(results), results.map(() => OK));
  assert.deepEqual(writer.batches.map(names), [
    ["close 1", "close 2", "close 4", "close 5"],
    ["close 3"],
    ["close 6"],
  ]);
});

Deno.test("new GatheringQueue() lets no call pass a large answer's that takes what this gives back", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const back: Entry = { kind: "give_back", projectId: "acme", amountE8: 1n };
  const entries = [large(1), large(2), rehold(3), close(3), close(4), back];
  const results = entries.map((entry) => queue.commit(entry));
  for (const count of [1, 2]) {
    await writer.started(count);
    writer.finish();
  }
  assert.deepEqual(await Promise.all(results), results.map(() => OK));
  assert.deepEqual(writer.batches.map(names), [
    ["close 1"],
    ["close 2", "rehold 3", "close 3", "close 4", "give_back"],
  ]);
});

Deno.test("new GatheringQueue() keeps a call's own entries in order, however little it holds", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const nothing = { heldE8: 0n, chargedE8: 0n };
  void queue.commit(hold(3));
  await writer.started(1);
  const results = [queue.commit(large(1)), queue.commit(large(2))];
  queue.enqueue({ kind: "rehold", call: sampleOpenCall({ callId: 3, ...nothing }) });
  results.push(queue.commit({ kind: "close", call: sampleClosedCall({ callId: 3, ...nothing }) }));
  queue.enqueue(hold(4));
  queue.enqueue({ kind: "rehold", call: sampleOpenCall({ callId: 4, ...nothing }) });
  for (const count of [2, 3]) {
    writer.finish();
    await writer.started(count);
  }
  writer.finish();
  await Promise.all(results);
  assert.deepEqual(writer.batches.map(names), [
    ["hold 3"],
    ["close 1"],
    ["close 2", "rehold 3", "close 3", "hold 4", "rehold 4"],
  ]);
});

Deno.test("commitThen() calls back in the order of the batch, and of a full queue not before it returns", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, maxPending: 2 });
  const refusal: EntryResult = { ok: false, reason: "conflict", message: "no" };
  const told: string[] = [];
  const tell = (name: string) => (result: EntryResult) => {
    told.push(`${name} ${result.ok ? "ok" : result.reason}`);
  };
  queue.commitThen(close(1), tell("close 1"));
  queue.commitThen(close(2), tell("close 2"));
  queue.commitThen({ kind: "delete_key", keyId: "k" }, tell("key"));
  assert.deepEqual(told, []);
  await writer.started(1);
  assert.deepEqual(told, ["key unavailable"]);
  writer.finish([OK, refusal]);
  await queue.flush();
  assert.deepEqual(told, ["key unavailable", "close 1 ok", "close 2 conflict"]);
});

Deno.test("flush() waits for a large answer that other calls have passed", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const answer = (key: string): Entry => ({
    kind: "store_answer",
    record: sampleAnswer({ key, body: "x".repeat(2_000_000) }),
  });
  const done: string[] = [];
  for (const key of ["1", "2"]) void queue.commit(answer(key)).then(() => done.push("large"));
  await writer.started(1);
  void queue.commit(close(3)).then(() => done.push("close"));
  const flushed = queue.flush();
  writer.finish();
  await writer.started(2);
  writer.finish();
  await flushed;
  assert.deepEqual(done, ["large", "large", "close"]);
});

Deno.test("flush() waits for what was given before it and for nothing later", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, lingerMs: 60_000 });
  await queue.flush();
  queue.enqueue(hold(1));
  let flushed = false;
  const flush = queue.flush().then(() => flushed = true);
  await writer.started(1);
  const later = queue.commit(close(2));
  assert.equal(flushed, false);
  writer.finish();
  await flush;
  await writer.started(2);
  writer.finish();
  await later;
  assert.deepEqual(writer.batches.map(names), [["hold 1"], ["close 2"]]);
});

Deno.test("new GatheringQueue() writes a hold whose route changes before its change", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write, lingerMs: 1 });
  queue.enqueue(hold(1));
  queue.enqueue(hold(2));
  queue.enqueue(rehold(1));
  await writer.started(1);
  writer.finish();
  const flushed = queue.flush();
  await writer.started(2);
  writer.finish();
  await flushed;
  assert.deepEqual(writer.batches.map(names), [["hold 1", "rehold 1"], ["hold 2"]]);
});

Deno.test("commit() writes a hold at once, as somebody waits for it", async () => {
  const queue = new GatheringQueue({
    write: (batch) => Promise.resolve(batch.map(() => OK)),
    lingerMs: 60_000,
  });
  assert.deepEqual(await queue.commit(hold(1)), OK);
  assert.equal(queue.pending, 0);
});

Deno.test("new GatheringQueue() writes at once what follows a lone entry, and gathers again after two", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const first = queue.commit(close(1));
  assert.equal(writer.batches.length, 0);
  await writer.started(1);
  writer.finish();
  await first;
  const second = queue.commit(close(2));
  assert.equal(writer.batches.length, 2);
  const beside = [queue.commit(close(3)), queue.commit(close(4))];
  writer.finish();
  await second;
  await writer.started(3);
  writer.finish();
  await Promise.all(beside);
  const last = queue.commit(close(5));
  assert.equal(writer.batches.length, 3);
  await writer.started(4);
  writer.finish();
  await last;
  assert.deepEqual(writer.batches.map(names), [
    ["close 1"],
    ["close 2"],
    ["close 3", "close 4"],
    ["close 5"],
  ]);
});

Deno.test("new GatheringQueue() rests after a batch of many, so that more callers share the next", async () => {
  const writer = new HeldWriter();
  const queue = new GatheringQueue({ write: writer.write });
  const many = [1, 2, 3, 4].map((callId) => queue.commit(close(callId)));
  await writer.started(1);
  const waiting = queue.commit(close(5));
  writer.finish();
  await Promise.all(many);
  assert.equal(writer.batches.length, 1);
  const joining = queue.commit(close(6));
  await writer.started(2);
  writer.finish();
  assert.deepEqual(await Promise.all([waiting, joining]), [OK, OK]);
  assert.deepEqual(names(writer.batches[1]!), ["close 5", "close 6"]);
});
