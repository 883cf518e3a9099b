/**
 * Callers of a gateway that go on whatever becomes of it, and what its books say of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ask, NONE } from "./paying_gateway.ts";
import type { ServedGateway } from "./served_gateway.ts";

/** How many call at one time. */
export const CALLERS = 8;
/** 10 prompt and 5 completion tokens at 2 and 4 a million. */
const PRICE_E8 = 4_000n;

/** Callers that ask again and again until the server is gone or they are told to end. */
export function callAlways(gateway: ServedGateway, key: string) {
  let answered = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      try {
        const response = await gateway.chat(key, ask, { signal: AbortSignal.timeout(60_000) });
        await response.body?.cancel();
        if (response.status === 200) answered++;
      } catch {
        // The server has gone in the middle of it: nobody knows how far it came.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  });
  return {
    get answered() {
      return answered;
    },
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

/** How many calls of the paying project are charged, of a balance of 10. */
export async function chargedCalls(gateway: ServedGateway): Promise<number> {
  const { balance, held } = await gateway.admin("GET", "/projects/paying");
  assert.equal(held, NONE);
  const spentE8 = 1_000_000_000n - BigInt(balance.replace(".", ""));
  assert.equal(spentE8 % PRICE_E8, 0n);
  return Number(spentE8 / PRICE_E8);
}
