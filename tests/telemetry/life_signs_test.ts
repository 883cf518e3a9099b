import assert from "node:assert/strict";
import { LifeSigns } from "../../src/telemetry/life_signs.ts";

/** Life signs whose repeated work runs when the test says so. */
function setUp(watchdogMs?: number) {
  const sent: string[][] = [];
  const repeated = new Map<() => void, number>();
  const life = new LifeSigns({
    send: (lines) => {
      sent.push([...lines]);
      return Promise.resolve();
    },
    watchdogMs,
    every: (run, ms) => {
      repeated.set(run, ms);
      return () => void repeated.delete(run);
    },
  });
  return {
    life,
    /** What was sent since the last look. */
    sent: () => sent.splice(0),
    intervals: () => [...repeated.values()],
    async pass() {
      for (const run of repeated.keys()) run();
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

const served = { isAlive: () => Promise.resolve(), status: () => "Serving" };

Deno.test("starting() asks for more time again and again, but not for ever", async () => {
  const { life, sent, intervals, pass } = setUp();
  life.starting();
  assert.deepEqual(sent(), [["STATUS=Starting", "EXTEND_TIMEOUT_USEC=60000000"]]);
  assert.deepEqual(intervals(), [10_000]);
  for (let minute = 0; minute < 90; minute++) {
    for (let part = 0; part < 6; part++) await pass();
  }
  assert.equal(sent().length, 359);
});

Deno.test("ready() says so once, and feeds the watchdog twice in its time", async () => {
  const { life, sent, intervals, pass } = setUp(60_000);
  life.starting();
  sent();
  life.ready(served);
  assert.deepEqual(sent(), [["READY=1", "STATUS=Serving"]]);
  assert.deepEqual(intervals(), [30_000]);
  await pass();
  assert.deepEqual(sent(), [["WATCHDOG=1", "STATUS=Serving"]]);
  life.end();
  assert.deepEqual(intervals(), []);
});

Deno.test("ready() repeats nothing when no watchdog waits", () => {
  const { life, intervals } = setUp();
  life.starting();
  life.ready(served);
  assert.deepEqual(intervals(), []);
});

Deno.test("ready() gives no sign while the storage hangs or is closed, and does not ask twice", async () => {
  const { life, sent, pass } = setUp(60_000);
  let asked = 0;
  let answer = Promise.withResolvers<void>();
  life.ready({
    status: () => "Serving",
    isAlive: () => {
      asked++;
      return answer.promise;
    },
  });
  sent();
  await pass();
  await pass();
  assert.deepEqual([asked, sent()], [1, []]);
  answer.resolve();
  await pass();
  assert.deepEqual(sent(), [["WATCHDOG=1", "STATUS=Serving"]]);
  await pass();
  sent();
  answer = Promise.withResolvers();
  answer.reject(new Error("The storage is closed"));
  await pass();
  assert.deepEqual(sent(), []);
});

Deno.test("reloaded() says that it is ready again, and keeps what went wrong in the status", async () => {
  const { life, sent, pass } = setUp(60_000);
  life.ready(served);
  sent();
  life.reloading();
  life.reloaded("the file was refused");
  await pass();
  life.reloading();
  life.reloaded(undefined);
  assert.deepEqual(sent(), [
    ["RELOADING=1", "STATUS=Reading the catalogue file again"],
    ["READY=1", "STATUS=Serving; the file was refused"],
    ["WATCHDOG=1", "STATUS=Serving; the file was refused"],
    ["RELOADING=1", "STATUS=Reading the catalogue file again"],
    ["READY=1", "STATUS=Serving"],
  ]);
});

Deno.test("stopping() asks for the drain's time and some more", () => {
  const { life, sent } = setUp();
  life.stopping("Stopping", 30_000);
  assert.deepEqual(sent(), [["STOPPING=1", "STATUS=Stopping", "EXTEND_TIMEOUT_USEC=45000000"]]);
});

Deno.test("stopping() stays in the status while the watchdog is fed, and nothing calls it ready again", async () => {
  const { life, sent, pass } = setUp(60_000);
  life.ready(served);
  life.reloading();
  life.stopping("Stopping; 2 calls to end", 30_000);
  sent();
  life.reloaded(undefined);
  life.reloading();
  await pass();
  assert.deepEqual(sent(), [["WATCHDOG=1", "STATUS=Stopping; 2 calls to end"]]);
});
