/**
 * Which routes count as priced.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ModelKind } from "../../src/domain/capabilities.ts";
import type { PriceVersion, Rates, Sale } from "../../src/domain/price.ts";
import { isPriced } from "../../src/domain/rates_for.ts";
import type { Condition } from "../../src/domain/terms.ts";
import { bySize, prices, rates, route, saleAt } from "../support/catalogue_parts.ts";

function priced(sale: Sale | undefined, kind: ModelKind, options: {
  cost?: Rates | undefined;
  size?: string;
} = {}): boolean {
  const version: PriceVersion = prices({ sale, cost: options.cost });
  return isPriced(route({ prices: version }), kind, options.size);
}

Deno.test("isPriced() wants input and output for chat, input for embedding", () => {
  assert.equal(priced(saleAt({ input: "1", output: "1" }), "chat"), true);
  assert.equal(priced(saleAt({ input: "0", output: "0" }), "chat"), true);
  assert.equal(priced(saleAt({ input: "1" }), "chat"), false);
  assert.equal(priced(saleAt({ output: "1", request: "1" }), "chat"), false);
  assert.equal(priced(saleAt({ input: "1" }), "embedding"), true);
  assert.equal(priced(saleAt({ output: "1" }), "embedding"), false);
});

Deno.test("isPriced() takes no rate under a condition for one that a call always has", () => {
  const under = (condition: Condition, ...units: ("input" | "output")[]): Sale => ({
    kind: "rates",
    rates: {
      output: 1n,
      when: [{ condition, rates: Object.fromEntries(units.map((unit) => [unit, 1n])) }],
    },
  });
  assert.equal(priced(under({ serviceTier: "priority" }, "input"), "chat"), false);
  assert.equal(priced(under({ contextAbove: 1_000 }, "input", "output"), "chat"), false);
  assert.equal(priced(under({ contextAbove: 1_000 }, "input"), "embedding"), false);
});

Deno.test("isPriced() takes a free route for priced and a missing sale for unpriced", () => {
  for (const kind of ["chat", "embedding", "video"] as const) {
    assert.equal(priced({ kind: "free" }, kind), true);
    assert.equal(priced(undefined, kind, { cost: rates({ input: "1", output: "1" }) }), false);
  }
});

Deno.test("isPriced() looks through a markup at the cost", () => {
  const markup: Sale = { kind: "markup", factorE8: 110_000_000n };
  assert.equal(priced(markup, "chat", { cost: rates({ input: "1", output: "1" }) }), true);
  assert.equal(priced(markup, "chat", { cost: rates({ input: "1" }) }), false);
  assert.equal(priced(markup, "chat"), false);
});

Deno.test("isPriced() wants a rate for the size asked of a video", () => {
  const sized: Sale = { kind: "rates", rates: bySize({ "640x360": 1n }) };
  assert.equal(priced(sized, "video", { size: "640x360" }), true);
  assert.equal(priced(sized, "video", { size: "1x1" }), false);
  assert.equal(priced(sized, "video"), true);
  const flat: Sale = { kind: "rates", rates: { second: 1n } };
  assert.equal(priced(flat, "video", { size: "1x1" }), true);
  assert.equal(priced(saleAt({ input: "1", output: "1" }), "video"), false);
});
