/**
 * CPU time by thread, as the bench tells it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ranBetween, threadTimes } from "../../bench/thread_times.ts";

Deno.test("the threads of a process are told apart by their names", () => {
  const parts = Array.from(threadTimes(Deno.pid).values(), ({ part }) => part);
  assert.equal(parts.filter((part) => part === "main").length, 1);
  assert.ok(parts.includes("engine"), parts.join());
});

Deno.test("a Worker's time counts as a Worker's", async () => {
  const script = "data:text/javascript,for (let n = 0; n < 1e7; n++); postMessage('done');";
  const before = threadTimes(Deno.pid);
  const worker = new Worker(script, { type: "module" });
  await new Promise((resolve) => worker.onmessage = resolve);
  const ran = ranBetween(before, threadTimes(Deno.pid));
  worker.terminate();
  assert.ok(ran.Workers > 0);
  const sum = ran.main + ran.Workers + ran.engine + ran.other;
  assert.ok(Math.abs(ran.all - sum) < 1, `${ran.all} ${sum}`);
});

Deno.test("a thread that has begun since counts whole, one that has ended not at all", () => {
  const before = new Map(
    [
      [1, { part: "main", us: 1_000 }],
      [2, { part: "engine", us: 50_000 }],
    ] as const,
  );
  const after = new Map(
    [
      [1, { part: "main", us: 1_750 }],
      [3, { part: "Workers", us: 40 }],
    ] as const,
  );
  assert.deepEqual(ranBetween(before, after), {
    main: 750,
    Workers: 40,
    engine: 0,
    other: 0,
    all: 790,
  });
});

Deno.test("a process that is not there is refused", () => {
  const beyondAll = 2 ** 30;
  assert.throws(() => threadTimes(beyondAll), /has ended/);
});
