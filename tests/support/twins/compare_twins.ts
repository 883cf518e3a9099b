/**
 * Runs cases at twin gateways, and tells where they differ.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SeededRandom } from "../seeded_random.ts";
import { MODELS } from "./twin_catalogue.ts";
import type { TwinCase } from "./twin_gateways.ts";
import { ROOM_BYTES, Twin } from "./twin_gateways.ts";

/** Makes a case of random numbers that are its own. */
export type CaseMaker = (random: SeededRandom, number: number) => TwinCase;

/** What is compared. */
export interface Comparison {
  readonly seed: number;
  /** Cases; fewer when the time is over first. */
  readonly cases: number;
  readonly withinMs?: number;
  /** The first one; absent: 0. */
  readonly from?: number;
  readonly make: CaseMaker;
}

/** Runs them; gives how many there were, and a sentence for each that differs. */
export async function compareTwins(
  { seed, cases, withinMs = Infinity, from = 0, make }: Comparison,
): Promise<{ readonly cases: number; readonly differences: readonly string[] }> {
  const deadline = performance.now() + withinMs;
  const differences: string[] = [];
  let number = from;
  while (number < from + cases && performance.now() < deadline) {
    await using quick = await Twin.start("on");
    await using general = await Twin.start("off");
    await quick.warm();
    await general.warm();
    const upTo = Math.min(from + cases, number + MODELS);
    for (; number < upTo && performance.now() < deadline; number++) {
      const twinCase = make(new SeededRandom(seed, `case ${number}`), number);
      const difference = await differenceIn(twinCase, quick, general);
      if (difference !== undefined) differences.push(`${twinCase.label}: ${difference}`);
    }
    await assertNothingIsLeft(quick, general);
  }
  return { cases: number - from, differences };
}

async function differenceIn(
  twinCase: TwinCase,
  quick: Twin,
  general: Twin,
): Promise<string | undefined> {
  const [seen, expected] = await Promise.all([
    runAt(quick, twinCase),
    runAt(general, twinCase),
  ]);
  try {
    assert.deepEqual(seen, expected);
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    return error.message;
  }
  return undefined;
}

async function runAt(twin: Twin, twinCase: TwinCase) {
  const answers = await twin.run(twinCase);
  return { answers, ...await twin.look() };
}

/** No call, connection, place or byte is kept that is not kept by both. */
async function assertNothingIsLeft(quick: Twin, general: Twin): Promise<void> {
  for (const twin of [quick, general]) {
    await twin.quiet();
    assert.ok(await twin.hasRoom(ROOM_BYTES), "bytes of bodies or answers are still counted");
    assert.equal(await twin.hasRoom(ROOM_BYTES + 1), false);
    await twin.quiet();
  }
  assert.equal(quick.upstream.openConnections, general.upstream.openConnections);
}
