import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { GaugeMemory } from "../../src/limits/shared_gauges.ts";
import { SlidingWindow } from "../../src/limits/sliding_window.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import type { TakingOrder, TakingReport } from "../support/taking_worker.ts";

function window() {
  return new GaugeMemory(GaugeMemory.buffer(2, 1), 1, 0).cells(0).requests;
}

Deno.test("a shared window counts as one of a thread alone, whatever the gaps", () => {
  const source = new SeededRandom(7);
  const random = () => source.next();
  const own = new SlidingWindow(0);
  const shared = window();
  let second = 0;
  for (let step = 0; step < 20_000; step++) {
    if (random() < 0.3) second += Math.floor(random() * (random() < 0.05 ? 90 : 4));
    const at = random() < 0.2 ? second - Math.floor(random() * 60) : second;
    const amount = Math.floor(random() * 9);
    const most = Math.floor(random() * 400);
    if (random() < 0.5) {
      assert.equal(shared.take(second, amount, most), own.take(second, amount, most), `${step}`);
    } else {
      // Asked first, so that both know of what has left.
      assert.equal(shared.sum(second), own.sum(second), `${step}`);
      shared.add(at, amount);
      own.add(at, amount);
    }
    assert.equal(shared.sum(second), own.sum(second), `${step}`);
    assert.equal(shared.hasRoom(second, 3, most), own.hasRoom(second, 3, most), `${step}`);
    assert.equal(
      shared.secondWithAtMost(most, second),
      own.secondWithAtMost(most, second),
      `${step}`,
    );
  }
});

Deno.test("a shared window gives back in the second where it was taken, and nothing after that", () => {
  const shared = window();
  assert.ok(shared.take(10, 5, 5));
  shared.add(10, -2);
  assert.equal(shared.sum(10), 3);
  assert.equal(shared.sum(70), 0);
  shared.add(10, -3);
  assert.equal(shared.sum(70), 0);
  assert.ok(shared.take(74, 5, 5), "the bucket of the second before is another's now");
  shared.add(10, -1);
  assert.equal(shared.sum(74), 5);
});

Deno.test("threads that take at one time get as much as there is, and not one too many", async () => {
  const parties = 3;
  const most = { requests: 1_000, tokens: 7 * 500, places: 64 };
  const purse = new SharedArrayBuffer(8);
  new BigInt64Array(purse)[0] = 3n * 2_000n + 2n;
  const gauges = GaugeMemory.buffer(2, parties);
  const ready = new SharedArrayBuffer(4);
  const entry = new URL("../support/taking_worker.ts", import.meta.url);
  const workers = Array.from({ length: parties }, (_, party) => {
    const order: TakingOrder = { purse, gauges, parties, party, times: 5_000, most, ready };
    return new Worker(entry, { workerData: order });
  });
  const reports = await Promise.all(
    workers.map(async (worker) => (await once(worker, "message"))[0] as TakingReport),
  );
  const sum = (name: keyof TakingReport) =>
    reports.reduce((total, report) => total + report[name], 0);
  assert.equal(sum("amounts"), 2_000);
  assert.equal(new BigInt64Array(purse)[0], 2n);
  assert.equal(sum("requests"), 1_000);
  assert.equal(sum("places"), 64);
  // Two who want the last may both be told to come again.
  assert.ok(sum("tokens") <= 500 && sum("tokens") >= 500 - parties, `${sum("tokens")}`);
  const memory = new GaugeMemory(gauges, parties, 0);
  const { requests, tokens, places } = memory.cells(1);
  assert.equal(requests.sum(102), 1_000);
  assert.equal(tokens.sum(102), 7 * sum("tokens"));
  assert.equal(places.taken, 64);
  for (let party = 0; party < parties; party++) memory.leaveAllOf(party, 2);
  assert.equal(places.taken, 0, "places of threads that are no more are free");
  for (const worker of workers) worker.postMessage("end");
  await Promise.all(workers.map((worker) => worker.terminate()));
});
