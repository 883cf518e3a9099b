/**
 * @module
 */

import assert from "node:assert/strict";
import { oraclePrice, tokenUsage } from "./price_oracle.ts";

const NOTHING = tokenUsage(0n, 0n);

Deno.test("oraclePrice() computes what can be computed by hand", () => {
  const rates = { input: "100", cachedInput: "10", output: "300", request: "7", image: "5" };
  const sale = { kind: "rates" as const, rates };
  for (
    const [usage, amount] of [
      [{}, 7n],
      [{ promptTokens: 5_000n }, 8n], // 7.5
      [{ promptTokens: 4_999n }, 7n], // 7.4999
      [{ promptTokens: 1_000_000n, cachedTokens: 500_000n }, 62n],
      [{ promptTokens: 1_000_000n, cachedTokens: 9_000_000n }, 17n],
      [{ completionTokens: 2_000_000n, reasoningTokens: 1_000_000n }, 607n],
      [{ images: 3n }, 22n],
    ] as const
  ) {
    assert.equal(oraclePrice({ cost: undefined, sale }, { ...NOTHING, ...usage }).sale, amount);
  }
});

Deno.test("oraclePrice() rounds a markup once, from the unrounded cost", () => {
  const prices = {
    cost: { input: "333333" },
    sale: { kind: "markup" as const, factor: "150000000" },
  };
  const usage = { ...NOTHING, promptTokens: 1n };
  // 0.333333 and 0.4999995
  assert.deepEqual(oraclePrice(prices, usage), { cost: 0n, sale: 0n });
  assert.deepEqual(oraclePrice(prices, { ...usage, promptTokens: 2n }), { cost: 1n, sale: 1n });
  assert.deepEqual(oraclePrice({ ...prices, sale: { kind: "free" } }, usage), {
    cost: 0n,
    sale: 0n,
  });
});

Deno.test("oraclePrice() prices films by the second of their size", () => {
  const rates = { when: [{ size: "64x64", second: "250" }] };
  const film = { ...NOTHING, videoSize: "64x64", videoSeconds: 4n };
  const sale = { kind: "rates" as const, rates };
  assert.equal(oraclePrice({ cost: undefined, sale }, film).sale, 1_000n);
  const half = { ...film, videoPercent: 50n };
  assert.equal(oraclePrice({ cost: undefined, sale }, half).sale, 500n);
  const third = { ...film, videoSeconds: 1n, videoPercent: 33n }; // 82.5
  assert.equal(oraclePrice({ cost: rates, sale }, third).sale, 83n);
  assert.equal(oraclePrice({ cost: rates, sale }, third).cost, 83n);
  const flat = { kind: "rates" as const, rates: { second: "3" } };
  assert.equal(oraclePrice({ cost: undefined, sale: flat }, film).sale, 12n);
});
