/**
 * Prices line by line: whatever was bought and however it was sold, the lines come to what was stored.
 *
 * @module
 */

import assert from "node:assert/strict";
import { boughtBy, type ClosedCall } from "../../src/domain/call.ts";
import type { PriceVersion } from "../../src/domain/price.ts";
import { UNIT_NAMES } from "../../src/domain/units.ts";
import type { Work } from "../../src/domain/work.ts";
import { closeCall } from "../../src/accounts/close_call.ts";
import { exactAmount, type PriceLine, priceLines, sum } from "../../src/pricing/price_lines.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { prices, rates, saleAt } from "../support/catalogue_parts.ts";
import { SeededRandom } from "../support/seeded_random.ts";

const ONE_E8 = 10n ** 16n;

interface CallParts {
  readonly work: Work;
  readonly prices: PriceVersion;
  readonly heldE8?: bigint;
  readonly unlimited?: boolean;
  readonly billable?: boolean;
  readonly percent?: number;
}

/** A call as the ledger closes it. */
function closed(
  { work, prices, heldE8 = 10n ** 15n, unlimited = false, billable = true, percent }: CallParts,
): ClosedCall {
  const video = percent === undefined ? undefined : { size: "720x1280", seconds: 7, percent };
  const priced = priceWork(prices, boughtBy({ work, video, terms: undefined }));
  return closeCall(
    {
      callId: 1,
      requestId: "req_1",
      projectId: "shop",
      keyId: "key_1",
      capability: "chat",
      model: "one",
      provider: "acme",
      route: "acme/one",
      priceVersion: 1,
      heldE8: unlimited ? 0n : heldE8,
      unlimited,
      stream: false,
      openedAt: 0,
      video,
    },
    {
      result: billable ? "completed" : "upstream_failed",
      billable,
      work,
      usageSource: "reported",
      videoPercent: percent,
      ...priced,
      firstByteMs: 1,
      attempts: 1,
      errorCode: undefined,
    },
    5,
  );
}

const inWords = (line: PriceLine) =>
  "adjustment" in line
    ? `${line.adjustment} = ${exactAmount(line.amount)}`
    : `${line.quantity} ${line.unit} at ${line.rateE8} = ${exactAmount(line.amount)}`;

Deno.test("priceLines() tells units, rates and the rounding", () => {
  const price = prices({ sale: saleAt({ input: "0.15", output: "0.6", request: "0.001" }) });
  const { charge, cost } = priceLines(
    price,
    closed({ prices: price, work: { input: 7, cachedInput: 3, output: 11 } }),
  );
  assert.deepEqual(charge.map(inWords), [
    "7 input at 15000000 = 0.00000105",
    "3 cachedInput at 15000000 = 0.00000045",
    "11 output at 60000000 = 0.00000660",
    "1 request at 100000 = 0.00100000",
  ]);
  assert.deepEqual(cost.map(inWords), [
    "7 input at 100000000 = 0.00000700",
    "3 cachedInput at 100000000 = 0.00000300",
    "11 output at 200000000 = 0.00002200",
  ]);
  const odd = prices({ sale: saleAt({ input: "0.33333333" }) });
  assert.deepEqual(
    priceLines(odd, closed({ prices: odd, work: { input: 7 } })).charge.map(inWords),
    ["7 input at 33333333 = 0.00000233333331", "rounding = -0.00000000333331"],
  );
});

Deno.test("priceLines() tells what is not charged, and why", () => {
  const price = prices();
  const work = { input: 1_000_000 };
  const last = (parts: Partial<CallParts>) =>
    inWords(priceLines(price, closed({ prices: price, work, ...parts })).charge.at(-1)!);
  assert.equal(last({ unlimited: true }), "unlimited = -1.50000000");
  assert.equal(last({ billable: false }), "released = -1.50000000");
  assert.equal(last({ heldE8: 100_000_000n }), "beyond_hold = -0.50000000");
  const free = prices({ sale: { kind: "free" } });
  assert.deepEqual(
    priceLines(free, closed({ prices: free, work })).charge.map(inWords),
    ["free = 0.00000000"],
  );
  const call = { ...closed({ prices: price, work }), saleE8: 7n, chargedE8: 7n };
  assert.match(inWords(priceLines(price, call).charge.at(-1)!), /^not_explained = -1\.49999993$/);
});

Deno.test("priceLines() come to the charge and the cost to the last digit, whatever was bought", () => {
  const random = new SeededRandom(14, "price lines");
  const someRates = () =>
    rates(Object.fromEntries(
      UNIT_NAMES.filter(() => random.chance(0.4)).map((unit) => [
        unit,
        `${random.integer(0, 90)}.${String(random.integer(0, 99_999_999)).padStart(8, "0")}`,
      ]),
    ));
  for (let round = 0; round < 2_000; round++) {
    const sale: PriceVersion["sale"] = random.pick([
      { kind: "free" },
      { kind: "markup", factorE8: BigInt(random.integer(0, 300_000_000)) },
      { kind: "rates", rates: someRates() },
    ]);
    const price = prices({ cost: random.chance(0.8) ? someRates() : undefined, sale });
    const work: Work = Object.fromEntries(
      UNIT_NAMES.filter((unit) => unit !== "request" && unit !== "second" && random.chance(0.3))
        .map((unit) => [unit, random.integer(1, 200_000)]),
    );
    const call = closed({
      prices: price,
      work,
      unlimited: random.chance(0.2),
      billable: random.chance(0.8),
      heldE8: BigInt(random.integer(0, 50_000_000)),
      ...(random.chance(0.3) && { percent: random.integer(1, 99) }),
    });
    const { cost, charge } = priceLines(price, call);
    assert.equal(sum(charge), call.chargedE8 * ONE_E8);
    assert.equal(sum(cost), call.costE8 * ONE_E8);
    const told = [...cost, ...charge].flatMap((line) =>
      "adjustment" in line ? line.adjustment : []
    );
    assert.ok(!told.includes("not_explained"), charge.map(inWords).join("; "));
  }
});
