/**
 * A call that is there, for reports to find.
 *
 * @module
 */

import type { OpenCall } from "../../src/domain/call.ts";
import { workOfTokens } from "../../src/domain/work.ts";
import type { TestAdmin } from "./test_admin.ts";

type Outcome = Parameters<TestAdmin["deps"]["ledger"]["close"]>[1];

/** Holds and closes one, whose request id it gives: it cost 0.00002 and is priced at 0.00004. */
export async function makeCall(
  admin: TestAdmin,
  parts: Partial<OpenCall> = {},
  outcome: Partial<Outcome> = {},
): Promise<string> {
  const { ledger, clock, catalogue, requestIds } = admin.deps;
  const { requestId, callId } = (requestIds as unknown as {
    next(): { readonly requestId: string; readonly callId: number };
  }).next();
  const hold = ledger.hold({
    callId,
    requestId,
    projectId: "free",
    keyId: "key_1",
    capability: "chat",
    model: "small",
    provider: "one",
    route: "one/small",
    priceVersion: catalogue.current.route("one/small")!.prices.version,
    heldE8: 0n,
    unlimited: true,
    stream: true,
    openedAt: clock.now(),
    ...parts,
  })!;
  await ledger.close(hold, {
    result: "completed",
    billable: true,
    work: workOfTokens({
      promptTokens: 10,
      completionTokens: 5,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    }),
    usageSource: "reported",
    costE8: 2000n,
    saleE8: 4000n,
    firstByteMs: 3,
    attempts: 2,
    errorCode: undefined,
    ...outcome,
  });
  return requestId;
}
