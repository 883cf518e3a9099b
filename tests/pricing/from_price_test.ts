/**
 * The price fields of the model list.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import type { Sale } from "../../src/domain/price.ts";
import { fromPrice, priceList } from "../../src/pricing/from_price.ts";
import { bySize, prices, rates, route, saleAt } from "../support/catalogue_parts.ts";

function sold(sale: Sale | undefined, cost = rates({ input: "1", output: "2" })): Route {
  return route({ prices: prices({ sale, cost }) });
}

Deno.test("fromPrice() takes the lowest input rate and tells that route's prices in full", () => {
  const routes = [
    sold(saleAt({ input: "2", output: "1" })),
    sold(saleAt({ input: "0.25", cachedInput: "0.025", output: "2" })),
    sold(undefined),
  ];
  assert.deepEqual(fromPrice(routes, "chat"), {
    from_price: "0.25000000",
    pricing: {
      currency: "USD",
      unit: "million_tokens",
      input: "0.25000000",
      cached_input: "0.02500000",
      output: "2.00000000",
    },
  });
});

Deno.test("fromPrice() adds the price per request before comparing", () => {
  const routes = [
    sold(saleAt({ input: "0.1", output: "1", request: "0.5" })),
    sold(saleAt({ input: "0.3", output: "1", request: "0.01" })),
  ];
  assert.equal(fromPrice(routes, "chat").from_price, "0.31000000");
});

Deno.test("fromPrice() is null when nothing is priced", () => {
  const nothing = { from_price: null, pricing: null };
  assert.deepEqual(fromPrice([], "chat"), nothing);
  assert.deepEqual(fromPrice([sold(undefined)], "chat"), nothing);
  // Chat needs an output rate, embedding does not.
  const inputOnly = [sold(saleAt({ input: "1" }))];
  assert.deepEqual(fromPrice(inputOnly, "chat"), nothing);
  assert.equal(fromPrice(inputOnly, "embedding").from_price, "1.00000000");
});

Deno.test("fromPrice() is null when the rate is 0 while another is not", () => {
  for (const other of [{ output: "1" }, { output: "0", image: "0.01" }]) {
    const answer = fromPrice([sold(saleAt({ input: "0", ...other }))], "chat");
    assert.equal(answer.from_price, null);
    assert.equal(answer.pricing?.input, "0.00000000");
  }
  // A rate that is too small to show is not free.
  const tiny = sold({ kind: "markup", factorE8: 1n }, rates({ input: "0.00000001", output: "0" }));
  assert.equal(fromPrice([tiny], "chat").from_price, null);
});

Deno.test("fromPrice() is 0.00000000 only when a route is free", () => {
  const zero = sold(saleAt({ input: "0", output: "0" }));
  const halfFree = sold(saleAt({ input: "0", output: "1" }));
  assert.equal(fromPrice([zero], "chat").from_price, "0.00000000");
  assert.equal(fromPrice([halfFree, zero], "chat").from_price, "0.00000000");
  assert.deepEqual(fromPrice([halfFree, sold({ kind: "free" })], "chat"), {
    from_price: "0.00000000",
    pricing: {
      currency: "USD",
      unit: "million_tokens",
      input: "0.00000000",
      output: "0.00000000",
    },
  });
});

Deno.test("fromPrice() applies a markup to the cost, rounded once", () => {
  const marked = sold(
    { kind: "markup", factorE8: 110_000_000n },
    rates({ input: "0.00000005", output: "0.00000005", request: "0.00000005" }),
  );
  const { from_price, pricing } = fromPrice([marked], "chat");
  // 5.5 + 5.5 units are 11; rounded one by one they would be 12.
  assert.equal(from_price, "0.00000011");
  assert.equal(pricing?.input, "0.00000006");
  assert.equal(pricing?.request, "0.00000006");
});

Deno.test("fromPrice() speaks per second for video, by size where prices differ", () => {
  const sized: Sale = {
    kind: "rates",
    rates: bySize({ "640x360": 1_000_000n, "1280x720": 2_000_000n }),
  };
  assert.deepEqual(fromPrice([sold(sized)], "video"), {
    from_price: "0.01000000",
    pricing: {
      currency: "USD",
      unit: "second",
      when: [{ size: "640x360", second: "0.01000000" }, { size: "1280x720", second: "0.02000000" }],
    },
  });
  assert.deepEqual(fromPrice([sold({ kind: "free" })], "video"), {
    from_price: "0.00000000",
    pricing: { currency: "USD", unit: "second", second: "0.00000000" },
  });
});

Deno.test("priceList() is null for an unpriced route", () => {
  assert.equal(priceList(sold(undefined), "chat"), null);
});

Deno.test("fromPrice() of a video counts only sizes on offer, and tells what an image costs", () => {
  const one = route({
    video: { sizes: ["1280x720"], seconds: [4], passFields: [] },
    prices: prices({
      cost: undefined,
      sale: {
        kind: "rates",
        rates: { ...bySize({ "1280x720": 2_000_000n, "1x1": 1n }), image: 5_000_000n },
      },
    }),
  });
  assert.deepEqual(fromPrice([one], "video"), {
    from_price: "0.02000000",
    pricing: {
      currency: "USD",
      unit: "second",
      image: "0.05000000",
      when: [{ size: "1280x720", second: "0.02000000" }],
    },
  });
  const nothing = { ...one, video: { sizes: ["640x360"], seconds: [4], passFields: [] } };
  assert.deepEqual(fromPrice([nothing], "video"), { from_price: null, pricing: null });
});
