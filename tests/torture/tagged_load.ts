/**
 * Tagged calls at a steady pace at a server that may die of it, and what its books must say of those
 * that were answered.
 *
 * @module
 */

import type { SeededRandom } from "../support/seeded_random.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import type { CallRow } from "./books/book_rows.ts";
import type { RowFinding } from "./row_finding.ts";
import { priceOf, taggedBody, tagOf } from "./tagged_calls.ts";

const TICK_MS = 10;

/** Answers that came in full, by tag, with the output tokens they told of. */
export type Answers = Map<number, number>;

/** Answered calls that are not settled at their price. */
export function unsettled(
  calls: readonly CallRow[],
  answers: Answers,
  found: RowFinding,
): number {
  const byTag = new Map(calls.map((call) => [tagOf(call), call]));
  let count = 0;
  for (const [tag, tokens] of answers) {
    const call = byTag.get(tag);
    if (call?.state === "settled" && call.charged === priceOf(tokens)) continue;
    count++;
    found.require(
      false,
      `tag ${tag} was answered with ${tokens} tokens and is ${call?.state ?? "in no book"}, ` +
        `charged ${call?.charged ?? 0n}`,
    );
  }
  return count;
}

/** Calls at a steady pace, until the server is gone; `over` gives the tags. */
export function callUntil(gateway: ServedGateway, options: {
  readonly key: string;
  readonly callsPerSecond: number;
  readonly random: SeededRandom;
  readonly answers: Answers;
  readonly nextTag: () => number;
  /** How long an upstream thinks at most. Default: 60 ms. */
  readonly mostDelayMs?: number;
}): { over(): Promise<readonly number[]> } {
  const { key, callsPerSecond, random, answers, nextTag, mostDelayMs = 60 } = options;
  const calls: Promise<void>[] = [];
  const tags: number[] = [];

  async function call(tag: number): Promise<void> {
    const own = random.of(`call ${tag}`);
    const stream = own.chance(0.5);
    const tokens = own.integer(1, 900);
    const act = {
      delayMs: own.integer(0, mostDelayMs),
      chunkMs: own.integer(0, 10),
      usage: { prompt: 10, completion: tokens },
    };
    try {
      const response = await gateway.chat(key, taggedBody(tag, { stream, act }));
      const text = await response.text();
      const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
      if (response.status === 200 && isWhole && !text.includes('"error"')) answers.set(tag, tokens);
    } catch (error) {
      // The connection ends with the process.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / 1_000 * callsPerSecond;
    for (; sent < due; sent++) {
      const tag = nextTag();
      tags.push(tag);
      calls.push(call(tag));
    }
  }, TICK_MS);
  return {
    async over() {
      clearInterval(timer);
      await Promise.all(calls);
      return tags;
    },
  };
}
