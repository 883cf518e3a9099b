/**
 * Calls for the ledger, by the first route of the test catalogue.
 *
 * @module
 */

import type { CallOutcome } from "../../src/accounts/close_call.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import { NO_WORK, type UsageSource, type Work, workOfTokens } from "../../src/domain/work.ts";
import { priceWork } from "../../src/pricing/price_work.ts";

const USED = workOfTokens({
  promptTokens: 1000,
  completionTokens: 500,
  cachedTokens: 200,
  cacheWriteTokens: 100,
  reasoningTokens: 50,
});

/** A call that is about to be held, by the first route of `CATALOGUE`. */
export function openCall(deps: AdminDeps, parts: Partial<OpenCall>): OpenCall {
  return {
    callId: 1,
    requestId: `req_${"a".repeat(12)}${parts.callId}`,
    projectId: "paying",
    keyId: "key_1",
    capability: "chat",
    model: "small",
    provider: "one",
    route: "one/small",
    priceVersion: deps.catalogue.current.route("one/small")!.prices.version,
    heldE8: 10_000_000n,
    unlimited: false,
    stream: false,
    openedAt: deps.clock.now(),
    ...parts,
  };
}

/** How it ended, priced as that route prices it. */
export function outcome(deps: AdminDeps, parts: {
  work?: Work;
  source?: UsageSource;
  billable?: boolean;
}): CallOutcome {
  const { source = "reported", billable = true } = parts;
  const work = source === "none" ? NO_WORK : { ...parts.work ?? USED, image: 2 };
  const priced = source === "none"
    ? { costE8: 0n, saleE8: 0n }
    : priceWork(deps.catalogue.current.route("one/small")!.prices, { work });
  return {
    result: billable ? "completed" : "upstream_failed",
    billable,
    work,
    usageSource: source,
    ...priced,
    firstByteMs: 20,
    attempts: 1,
    errorCode: undefined,
  };
}
