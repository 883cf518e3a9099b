/**
 * Searches for slow bodies: tries bodies of every kind, then doubles and changes the slowest, and
 * compares what each costs for its bytes with what a long plain text costs in the same run. No
 * time of a clock is looked at, only the processor's.
 *
 * @module
 */

import { cpuMicroseconds } from "../../../bench/process_stats.ts";
import { SeededRandom } from "../../support/seeded_random.ts";
import { FuzzWorld } from "../fuzz_world.ts";
import { TARGETS } from "./targets.ts";
import { anyBody, mutatedBody, nameOf, PLAIN_BODY, requestOf, type SlowBody } from "./slow_body.ts";

/** How to search. */
export interface SearchOptions {
  readonly seed: number;
  /** Bodies that are sent. */
  readonly bodies: number;
  /** Default: as long as it takes. */
  readonly withinMs?: number;
}

/** What came of it. */
export interface SearchReport {
  readonly bodies: number;
  /** Times what a plain body costs for each byte, of the slowest one. */
  readonly worstRatio: number;
  /** Sentences about what should hold and does not. */
  readonly faults: readonly string[];
  /** What was looked at. */
  readonly figures: readonly string[];
}

/**
 * A body of nothing but members takes some fifteen times as long as a text, for each byte: it is
 * parsed, checked, made one text and written again. What grows faster than its size passes any bound.
 */
export const MOST_RATIO = 40;

/** Of the first ones: of so many parts as are taken, and so large that growth shows. */
const FIRST_BYTES = [300_000, 2_500_000];
const MOST_BYTES = 19_000_000;
/** Of all bodies those that are tried at random, before the slowest are changed. */
const RANDOM_SHARE = 0.5;
/** The slowest ones, of which one is changed at a time. */
const KEPT = 8;
/**
 * What a body may cost whatever its size: garbage that is collected just then, code that is translated
 * because it is called often for the first time. A small body that grows faster than its size is
 * found when it is doubled.
 */
const ALLOWANCE_MICROSECONDS = 100_000;
const WARM_UPS = 3;
const BASELINES = 8;
/** The processor's time is counted in hundredths, and others use its caches: a slow one is asked again. */
const REPEATS = 2;
/** Characters of an answer that should not have been. */
const MOST_TOLD = 600;

interface Found {
  readonly body: SlowBody;
  readonly ratio: number;
  readonly milliseconds: number;
  readonly isFault: boolean;
}

/** Starts a program and searches it. */
export async function searchSlowBodies(options: SearchOptions): Promise<SearchReport> {
  await using world = await FuzzWorld.start();
  return await new Search(world, options).run();
}

class Search {
  readonly #world: FuzzWorld;
  readonly #options: SearchOptions;
  readonly #random: SeededRandom;
  readonly #seen = new Set<string>();
  readonly #faults: string[] = [];
  /** Slowest first. */
  readonly #found: Found[] = [];
  #microsecondsPerByte = NaN;

  constructor(world: FuzzWorld, options: SearchOptions) {
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(options.seed, "slow bodies");
  }

  async run(): Promise<SearchReport> {
    const { bodies, withinMs = Infinity } = this.#options;
    const deadline = performance.now() + withinMs;
    await this.#measurePlain();
    let sent = 0;
    while (sent < bodies && performance.now() < deadline) {
      const body = this.#choose(sent, sent < bodies * RANDOM_SHARE);
      if (body === undefined) continue;
      await this.#try(body);
      sent++;
    }
    const worst = this.#found[0];
    for (const { body, ratio, milliseconds, isFault } of this.#found) {
      if (!isFault) continue;
      this.#faults.push(
        `${nameOf(body)}: ${milliseconds} ms, ${ratio.toFixed(0)} times a plain body of its size`,
      );
    }
    return {
      bodies: sent,
      worstRatio: worst?.ratio ?? 0,
      faults: this.#faults,
      figures: [
        `a plain body takes ${(this.#microsecondsPerByte * 1_000).toFixed(1)} ns for each byte`,
        ...this.#found.slice(0, 3).map(({ body, ratio, milliseconds }) =>
          `${ratio.toFixed(1)} times as long (${milliseconds} ms): ${nameOf(body)}`
        ),
      ],
    };
  }

  async #measurePlain(): Promise<void> {
    for (let count = 0; count < WARM_UPS; count++) await this.#measure(PLAIN_BODY);
    // Together, as one alone is a few hundredths of a second.
    let sum = 0;
    for (let count = 0; count < BASELINES; count++) sum += await this.#measure(PLAIN_BODY);
    this.#microsecondsPerByte = sum / BASELINES;
  }

  /** A body that has not been tried; `undefined` where chance gave one that has. */
  #choose(number: number, isRandom: boolean): SlowBody | undefined {
    const slowest = this.#found.slice(0, KEPT);
    const body = isRandom || slowest.length === 0
      // Every path at least once.
      ? anyBody(this.#random, this.#random.pick(FIRST_BYTES), TARGETS[number])
      : this.#near(slowest);
    const name = nameOf(body);
    if (this.#seen.has(name)) return undefined;
    this.#seen.add(name);
    return body;
  }

  #near(slowest: readonly Found[]): SlowBody {
    const { body } = this.#random.pick(slowest);
    const doubled = { ...body, bytes: body.bytes * 2 };
    return doubled.bytes <= MOST_BYTES && !this.#seen.has(nameOf(doubled))
      ? doubled
      : mutatedBody(body, this.#random);
  }

  async #try(body: SlowBody): Promise<void> {
    let each = await this.#measure(body);
    const isSlow = () =>
      each - ALLOWANCE_MICROSECONDS / body.bytes > MOST_RATIO * this.#microsecondsPerByte;
    if (isSlow()) each = Math.min(each, await this.#least(body, REPEATS));
    const ratio = each / this.#microsecondsPerByte;
    const milliseconds = Math.round(each * body.bytes / 1_000);
    this.#found.push({ body, ratio, milliseconds, isFault: isSlow() });
    this.#found.sort((one, other) => other.ratio - one.ratio);
  }

  async #least(body: SlowBody, times: number): Promise<number> {
    let least = Infinity;
    for (let count = 0; count < times; count++) least = Math.min(least, await this.#measure(body));
    return least;
  }

  /** Microseconds of the processor for each byte. */
  async #measure(body: SlowBody): Promise<number> {
    const { gateway, process: { pid }, keys } = this.#world;
    const { path, headers, body: bytes } = requestOf(body);
    const before = cpuMicroseconds(pid);
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${keys.paying}` },
      body: bytes,
    });
    const answer = await response.text();
    if (response.status >= 500) {
      const words = answer.slice(0, MOST_TOLD);
      this.#faults.push(`${nameOf(body)}: answered ${response.status}: ${words}`);
    }
    return (cpuMicroseconds(pid) - before) / bytes.length;
  }
}
