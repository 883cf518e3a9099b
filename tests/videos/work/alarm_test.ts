import assert from "node:assert/strict";
import { Alarm } from "../../../src/videos/work/alarm.ts";

/** An alarm whose delays end when the test says so. */
function alarmAt(now: number) {
  const delays: { ms: number; end: () => void; signal: AbortSignal }[] = [];
  let rung = 0;
  const alarm = new Alarm({
    clock: { now: () => 0, monotonic: () => now },
    delay: (ms, signal) =>
      new Promise((resolve) => {
        delays.push({ ms, end: resolve, signal });
        signal.addEventListener("abort", () => resolve());
      }),
    onDue: () => void rung++,
  });
  return { alarm, delays, rung: () => rung };
}

Deno.test("Alarm rings once, at the earliest of the times that were asked for", async () => {
  const { alarm, delays, rung } = alarmAt(1_000);
  alarm.set(1_500.5);
  alarm.set(1_700);
  alarm.set(1_200);
  assert.deepEqual(delays.map(({ ms }) => ms), [501, 200]);
  assert.deepEqual(delays.map(({ signal }) => signal.aborted), [true, false]);
  delays[1]!.end();
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(rung(), 1);
  alarm.set(1_700);
  assert.equal(delays.length, 3, "it can be set again");
});

Deno.test("Alarm does not ring once it is cancelled, nor at no time at all", async () => {
  const { alarm, delays, rung } = alarmAt(1_000);
  alarm.set(Infinity);
  assert.equal(delays.length, 0);
  alarm.set(900);
  assert.equal(delays[0]!.ms, 1, "a time that has passed is soon");
  alarm.cancel();
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(rung(), 0);
});
