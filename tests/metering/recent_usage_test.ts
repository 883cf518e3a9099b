/**
 * Sums of the last days: each hour that is over is added up once, and nobody waits long.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MOST_RECENT_DAYS, RecentUsage } from "../../src/metering/recent_usage.ts";
import type { UsageQuery, UsageReport, UsageTotals } from "../../src/storage/ports/usage.ts";
import { FakeClock } from "../support/fake_clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A call at each moment, whose price is the moment's hour. */
class Calls {
  readonly clock = new FakeClock();
  readonly asked: UsageQuery[] = [];
  readonly moments: number[] = [];
  cut: UsageReport["cut"];
  /** What reports wait for. */
  gate: Promise<void> = Promise.resolve();
  delay: (ms: number) => Promise<void> = () => new Promise(() => {});

  readonly recent = new RecentUsage({
    report: async (query) => {
      this.asked.push(query);
      await this.gate;
      return { lines: this.#lines(query), cut: this.cut };
    },
    now: () => this.clock.now(),
    delay: (ms) => this.delay(ms),
  });

  add(at: number): void {
    this.moments.push(at);
  }

  async calls(days = 30): Promise<readonly (readonly [string | undefined, number])[]> {
    const { lines } = await this.recent.read(undefined, days);
    return lines.map(({ day, calls }) => [day, calls] as const);
  }

  #lines({ fromMs = 0, toMs = Infinity }: UsageQuery): readonly UsageTotals[] {
    const days = Map.groupBy(
      this.moments.filter((at) => at >= fromMs && at < toMs),
      (at) => new Date(at).toISOString().slice(0, 10),
    );
    return [...days].map(([day, some]) => ({
      model: "small",
      day,
      calls: some.length,
      promptTokens: some.length,
      completionTokens: 0,
      costE8: 1n,
      saleE8: BigInt(some.length),
      chargedE8: 0n,
      lossE8: 0n,
    }));
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

Deno.test("RecentUsage adds up every call of the days that are asked for, once", async () => {
  const scene = new Calls();
  const { clock } = scene;
  const now = clock.now();
  for (const ago of [0, 10 * 60_000, 2 * HOUR, DAY, 3 * DAY, 20 * DAY, 40 * DAY]) {
    scene.add(now - ago);
  }
  const sum = async (days: number) =>
    (await scene.calls(days)).reduce((all, [, calls]) => all + calls, 0);
  assert.equal(await sum(30), 6);
  assert.equal(await sum(2), 4);
  assert.equal(await sum(MOST_RECENT_DAYS), 7);
  assert.equal(await sum(30), 6);
  const days = (await scene.calls(30)).map(([day]) => day);
  assert.equal(new Set(days).size, days.length, "one line for each day and model");
});

Deno.test("RecentUsage reads again the running hour alone, and what has passed since", async () => {
  const scene = new Calls();
  const { clock, asked } = scene;
  await scene.calls();
  asked.length = 0;
  scene.add(clock.now());
  assert.deepEqual(await scene.calls(), [[dayOf(clock.now()), 1]]);
  assert.equal(asked.length, 1);
  assert.ok(clock.now() - asked[0]!.fromMs! <= HOUR + 60_000);
  for (let hour = 0; hour < 49; hour++) {
    clock.advance(HOUR);
    scene.add(clock.now());
    await scene.calls();
  }
  assert.equal((await scene.calls()).reduce((all, [, calls]) => all + calls, 0), 50);
  assert.ok(asked.every(({ fromMs = 0 }) => clock.now() - fromMs < 4 * DAY), "no old day again");
});

Deno.test("RecentUsage keeps nobody waiting, and has the rest with the next look", async () => {
  const scene = new Calls();
  scene.add(scene.clock.now() - 9 * DAY);
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const report = scene.recent;
  // The first report, of the running hour, answers; those of days wait.
  Object.defineProperty(scene, "gate", { get: () => asked++ === 0 ? Promise.resolve() : promise });
  scene.delay = () => Promise.resolve();
  const first = await report.read(undefined, 30);
  assert.deepEqual([first.lines.length, first.isWhole], [0, false]);
  assert.ok(first.wholeSince > scene.clock.now() - 2 * HOUR);
  resolve();
  scene.delay = () => new Promise(() => {});
  const next = await report.read(undefined, 30);
  assert.deepEqual([next.lines.length, next.isWhole], [1, true]);
});

Deno.test("RecentUsage takes no sums for whole that are not", async () => {
  const scene = new Calls();
  scene.add(scene.clock.now() - 9 * DAY);
  scene.cut = { reason: "time", fromMs: 0 };
  assert.equal((await scene.recent.read(undefined, 30)).isWhole, false);
  scene.cut = undefined;
  assert.equal((await scene.recent.read(undefined, 30)).isWhole, true);
});

Deno.test("RecentUsage gives no project another's sums", async () => {
  const scene = new Calls();
  await scene.recent.read("shop", 30);
  await scene.recent.read("lab", 30);
  await scene.recent.read(undefined, 30);
  const projects = Map.groupBy(scene.asked, ({ projectId }) => projectId);
  assert.deepEqual([...projects.keys()], ["shop", "lab", undefined]);
  assert.equal(new Set([...projects.values()].map(({ length }) => length)).size, 1);
});
