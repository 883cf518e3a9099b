/**
 * Nodes that share a limit, as time passes: all together never admit more than it lets, and nearly
 * nothing of it is left unused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Gauge } from "../../src/limits/gauge.ts";
import { ShareBook } from "../../src/limits/share_book.ts";
import { ShareKeeper } from "../../src/limits/share_keeper.ts";
import type { SharePools } from "../../src/storage/ports/shares.ts";
import { seededRandom } from "../support/catalogue_parts.ts";
import { FakeLater } from "../support/fake_later.ts";
import { MemoryPools } from "../support/memory_pools.ts";

const LIMIT = 600;
const LIMITS = { requestsPerMinute: LIMIT };
const STEP_MS = 10;

/** One node: a gauge, asked with its share. */
class Node {
  readonly #time: FakeLater;
  readonly #gauge: Gauge;
  readonly #book: ShareBook;
  readonly #keeper: ShareKeeper;
  isOn = true;

  constructor(time: FakeLater, pools: SharePools) {
    this.#time = time;
    this.#gauge = new Gauge(this.#second);
    this.#book = new ShareBook(time.clock, () => this.#gauge);
    this.#keeper = new ShareKeeper({
      ...{ book: this.#book, pools, clock: time.clock, later: time.later },
      onTrouble: (error) => assert.ok(!this.isOn, String(error)),
    });
  }

  get #second(): number {
    return Math.floor(this.#time.clock.monotonic() / 1000);
  }

  async admits(): Promise<boolean> {
    const shares = this.#book.of("project", "p", LIMITS);
    const take = () => this.isOn && this.#gauge.count(shares.held, 1, this.#second);
    return take() ||
      await this.#keeper.whenRoom([{ shares, kind: "requests", amount: 1 }], take);
  }

  end(): void {
    this.isOn = false;
    void this.#keeper.stop();
  }
}

interface Run {
  /** How many calls come to each node in a step that begins at a time. */
  readonly calls: (atMs: number) => readonly number[];
  readonly minutes: number;
  /** Ends one node and begins another in its place, at these times. */
  readonly restarts?: ReadonlyMap<number, number>;
}

/** When calls were admitted, in milliseconds, by all nodes. */
async function simulate(
  { calls, minutes, restarts }: Run,
): Promise<{ readonly admitted: readonly number[]; readonly came: number }> {
  const time = new FakeLater();
  const pools = new MemoryPools(time.clock);
  const sessions = [1, 2, 3, 4];
  const nodes = sessions.map((session) => new Node(time, pools.of(session)));
  const admitted: number[] = [];
  let came = 0;
  const beganAt = time.clock.monotonic();
  for (let atMs = 0; atMs < minutes * 60_000; atMs += STEP_MS) {
    const restarted = restarts?.get(atMs);
    if (restarted !== undefined) {
      nodes[restarted]!.end();
      pools.end(sessions[restarted]!);
      sessions[restarted] = Math.max(...sessions) + 1;
      nodes[restarted] = new Node(time, pools.of(sessions[restarted]!));
    }
    for (const [index, count] of calls(atMs).entries()) {
      came += count;
      for (let call = 0; call < count; call++) {
        void nodes[index]!.admits().then((isAdmitted) => {
          if (isAdmitted) admitted.push(time.clock.monotonic() - beganAt);
        });
      }
    }
    await time.advance(STEP_MS);
  }
  for (const node of nodes) node.end();
  return { admitted, came };
}

/** The most that fell into any time as long as a window, which counts by whole seconds. */
function mostWithin(admitted: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < admitted.length; last++) {
    while (admitted[last]! - admitted[first]! >= 59_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Calls that come at random, so many each second on the whole. */
function coming(seed: number): (perSecond: number) => number {
  const random = seededRandom(seed);
  return (perSecond) => {
    const mean = perSecond * STEP_MS / 1000;
    return Math.floor(mean) + (random() < mean % 1 ? 1 : 0);
  };
}

function proves(name: string, run: Run, least = 0.99): void {
  Deno.test(`four nodes share a limit, ${name}`, async () => {
    const { admitted, came } = await simulate(run);
    assert.ok(mostWithin(admitted) <= LIMIT, `${mostWithin(admitted)} within a minute`);
    const usable = Math.min(came, LIMIT * run.minutes);
    assert.ok(admitted.length >= least * usable, `${admitted.length} of ${usable}`);
  });
}

const even = coming(1);
proves("each with as many calls, three times the limit", {
  minutes: 5,
  calls: () => [7.5, 7.5, 7.5, 7.5].map(even),
});

const moving = coming(2);
proves("whose calls come to one at a time, half as many again as the limit", {
  minutes: 5,
  calls: (atMs) =>
    [0, 1, 2, 3].map((node) => Math.floor(atMs / 45_000) % 4 === node ? moving(15) : 0),
});

const uneven = coming(3);
proves("of which one has nine tenths of the calls, just below the limit", {
  minutes: 5,
  calls: () => [8.55, 0.95, 0, 0].map(uneven),
});

proves("with 3000 calls in one second", {
  minutes: 1,
  calls: (atMs) => atMs < 1_000 ? [8, 8, 7, 7] : [0, 0, 0, 0],
});

const ending = coming(4);
proves("while one after the other ends without a word and begins anew", {
  minutes: 5,
  calls: () => [7.5, 7.5, 7.5, 7.5].map(ending),
  restarts: new Map([[70_000, 0], [100_500, 1], [130_250, 0], [200_000, 3]]),
  // A quarter is out of reach for a minute each time.
}, 0.75);
