/**
 * Calls as the gateway would have written them itself: priced by their routes' prices, so that the
 * books add up.
 *
 * @module
 */

import type { ClosedCall } from "../src/domain/call.ts";
import type { Route } from "../src/domain/catalogue.ts";
import { priceWork } from "../src/pricing/price_work.ts";

/** What a call is held for, above what any costs. */
export const HELD_E8 = 100_000n;
/** Keys that calls are made with, in turn. */
const KEYS = 100;

/** The call of an index, from 0 on, that the project `bench` has been charged for. */
export function madeCall(
  index: number,
  { callId, model, route, at }: {
    readonly callId: number;
    readonly model: string;
    readonly route: Route;
    /** Milliseconds since 1970. */
    readonly at: number;
  },
): ClosedCall {
  const work = { input: 24 + index % 50, output: 20 };
  const { costE8, saleE8 } = priceWork(route.prices, { work });
  return {
    callId,
    requestId: `req_bench_${index.toString(36)}`,
    projectId: "bench",
    keyId: `key_bench${index % KEYS}`,
    capability: "chat",
    model,
    provider: route.providerId,
    route: route.id,
    priceVersion: route.prices.version,
    heldE8: HELD_E8,
    unlimited: false,
    stream: false,
    openedAt: at,
    state: "settled",
    result: "completed",
    closedAt: at + 300,
    firstByteMs: 120,
    attempts: 1,
    work,
    usageSource: "reported",
    costE8,
    saleE8,
    chargedE8: saleE8,
    lossE8: 0n,
    errorCode: undefined,
  };
}
