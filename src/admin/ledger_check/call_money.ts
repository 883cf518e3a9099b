/**
 * Whether the amounts of a closed call follow from its usage, its prices and
 * its hold: the rules of `accounts/ledger.ts`, computed again.
 *
 * @module
 */

import { boughtBy, type ClosedCall } from "../../domain/call.ts";
import type { PriceVersion } from "../../domain/price.ts";
import { type PricedWork, priceWork } from "../../pricing/price_work.ts";
import { type Difference, differenceOf } from "../base/findings.ts";

/** Every amount of a closed call that should be another one. */
export function checkCallMoney(
  call: ClosedCall,
  prices: PriceVersion | undefined,
): readonly Difference[] {
  const differences: Difference[] = [];
  function expect(column: string, expected: bigint, found: bigint, detail: string): void {
    if (expected === found) return;
    differences.push(differenceOf(["calls", call.callId], detail, { column, expected, found }));
  }
  const priced = reprice(call, prices);
  if ("table" in priced) differences.push(priced);
  else {
    expect("cost_e8", priced.costE8, call.costE8, "the usage costs another amount");
    expect("sale_e8", priced.saleE8, call.saleE8, "the usage sells for another amount");
  }
  const charged = chargeOf(call);
  expect("charged_e8", charged, call.chargedE8, "the project pays the sale, at most its hold");
  const loss = lossOf(call, charged);
  expect("loss_e8", loss, call.lossE8, "the operator loses what is priced and not charged");
  return differences;
}

/**
 * A call that used nothing (of a film: that was never made) costs nothing; any
 * other one is priced by its own price version.
 */
function reprice(call: ClosedCall, prices: PriceVersion | undefined): PricedWork | Difference {
  if (call.usageSource === "none") return { costE8: 0n, saleE8: 0n };
  if (prices === undefined) {
    return differenceOf(["calls", call.callId], "there is no such price version", {
      column: "price_version",
      found: call.priceVersion,
    });
  }
  try {
    return priceWork(prices, boughtBy(call));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return differenceOf(["calls", call.callId], `its usage has no price: ${error.message}`);
  }
}

function chargeOf(call: ClosedCall): bigint {
  if (call.state !== "settled" || call.unlimited) return 0n;
  return call.saleE8 < call.heldE8 ? call.saleE8 : call.heldE8;
}

function lossOf(call: ClosedCall, charged: bigint): bigint {
  if (call.state === "settled") return call.unlimited ? 0n : call.saleE8 - charged;
  return isAbandoned(call) ? call.heldE8 : call.saleE8;
}

/** Released at boot because its process died: the loss is at most what was held. */
function isAbandoned(call: ClosedCall): boolean {
  return call.result === "gateway_stopped" && call.usageSource === "none" && call.attempts === 0;
}
