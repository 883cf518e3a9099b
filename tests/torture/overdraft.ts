/**
 * Far more calls at once than a balance pays for, each of which holds and uses exactly so much.
 *
 * @module
 */

import { scriptPrompt } from "../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import { priceOf } from "./tagged_calls.ts";

/** After so long a call that was put off is tried again. */
const AGAIN_MS = 500;

/** What became of the calls. */
export interface Answered {
  readonly served: number;
  /** With 402. */
  readonly refused: number;
  /** All others, a sentence each. */
  readonly others: readonly string[];
}

/** What so many calls cost, as an amount. */
export function fundsFor(calls: number, maxTokens: number): string {
  const digits = (priceOf(maxTokens) * BigInt(calls)).toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** Sends them all, each to one of the gateways, and waits for every answer. */
export async function callAllAtOnce(
  gateways: readonly ServedGateway[],
  { count, keys, maxTokens, random, nextTag }: {
    readonly count: number;
    readonly keys: readonly string[];
    readonly maxTokens: number;
    readonly random: SeededRandom;
    readonly nextTag: () => number;
  },
): Promise<Answered> {
  const start = Promise.withResolvers<void>();
  const calls = Array.from({ length: count }, () => {
    const delayMs = random.integer(0, 400);
    const act = { delayMs, usage: { prompt: 10, completion: maxTokens } };
    const body = {
      model: "m",
      stream: random.chance(0.5),
      max_tokens: maxTokens,
      messages: [{ role: "user", content: scriptPrompt({ tag: nextTag(), acts: [act] }) }],
    };
    const key = random.pick(keys);
    const gateway = random.pick(gateways);
    return start.promise.then(async () => {
      for (;;) {
        const response = await gateway.chat(key, body);
        const text = await response.text();
        // A server of the database that does not answer in time: nothing was decided.
        if (!text.includes('"storage_away"')) return { status: response.status, text };
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    });
  });
  start.resolve();
  const answers = await Promise.all(calls);
  const whole = answers.filter(({ status, text }) => status === 200 && !text.includes('"error"'));
  const without = answers.filter(({ status, text }) =>
    status === 402 && text.includes("INSUFFICIENT_BALANCE")
  );
  const others = answers.filter((answer) => !whole.includes(answer) && !without.includes(answer));
  return {
    served: whole.length,
    refused: without.length,
    others: others.map(({ status, text }) => `answered ${status}: ${text}`),
  };
}
