/**
 * What it costs to look at the limits of many exchanges.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Clock, systemClock } from "../../../src/domain/clock.ts";
import { Watchdog } from "../../../src/providers/transport/watchdog.ts";

/** A clock that counts how often it is looked at. */
class CountedClock implements Clock {
  looks = 0;
  time = 0;

  now(): number {
    return this.time;
  }

  monotonic(): number {
    this.looks++;
    return this.time;
  }
}

Deno.test("all exchanges are looked at by one look at their clock, each by its own", async () => {
  const [clock, other] = [new CountedClock(), new CountedClock()];
  other.time = 5_000;
  const late: string[] = [];
  const watch = (of: Clock, onLate: (what: string) => void) =>
    new Watchdog(of, { totalMs: 60_000, onLate });
  const many = Array.from({ length: 100 }, () => watch(clock, (what) => late.push(what)));
  const isOver = Promise.withResolvers<string>();
  const last = watch(other, isOver.resolve);
  for (const one of many) one.arm(1_000, "send more");
  many[7]!.arm(0, "begin to answer");
  last.arm(0, "end");
  clock.looks = other.looks = 0;
  assert.equal(await isOver.promise, "end within 0 ms");
  assert.deepEqual(late, ["begin to answer within 0 ms"]);
  assert.equal(clock.looks, 1);
  assert.equal(other.looks, 1);
  for (const one of many) one.stop();
});

Deno.test("who has stood still takes in what came meanwhile before blaming an upstream", async () => {
  const late: string[] = [];
  const watchdog = new Watchdog(systemClock, {
    totalMs: 60_000,
    onLate: (what) => late.push(what),
  });
  watchdog.arm(100, "accept a connection");
  // It is accepted in time, and heard of once this process goes on.
  const accepted = new Promise<void>((resolve) =>
    setTimeout(() => {
      watchdog.disarm();
      resolve();
    }, 60)
  );
  const until = performance.now() + 600;
  while (performance.now() < until);
  await accepted;
  assert.deepEqual(late, []);
  const isOver = Promise.withResolvers<string>();
  watchdog.stop();
  const other = new Watchdog(systemClock, { totalMs: 60_000, onLate: isOver.resolve });
  other.arm(100, "begin to answer");
  while (performance.now() < until + 600);
  assert.equal(await isOver.promise, "begin to answer within 100 ms");
});
