/**
 * Exact money.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  divideHalfUp,
  formatAmount,
  MAX_AMOUNT_E8,
  parseAmount,
  tryParseAmount,
} from "../../src/domain/money.ts";
import { seededRandom } from "../support/catalogue_parts.ts";

Deno.test("parseAmount() reads decimals exactly", () => {
  const cases = [
    ["0", 0n],
    ["0.00000001", 1n],
    ["0.25", 25_000_000n],
    ["12", 1_200_000_000n],
    ["007.5", 750_000_000n],
    ["9999999999.99999999", MAX_AMOUNT_E8],
  ] as const;
  for (const [text, amount] of cases) assert.equal(parseAmount(text), amount, text);
});

Deno.test("parseAmount() refuses anything but a plain decimal", () => {
  const bad = ["", " 1", "1 ", "-1", "+1", "1e3", ".5", "5.", "1.000000001", "12345678901", "1,5"];
  for (const text of [...bad, "0x10", "NaN", "Infinity", "1\n", "١"]) {
    assert.equal(tryParseAmount(text), undefined, JSON.stringify(text));
    assert.throws(() => parseAmount(text), RangeError);
  }
});

Deno.test("formatAmount() writes exactly 8 fractional digits", () => {
  const cases = [
    [0n, "0.00000000"],
    [1n, "0.00000001"],
    [-1n, "-0.00000001"],
    [123_456_789n, "1.23456789"],
    [-1_500_000_000n, "-15.00000000"],
    [MAX_AMOUNT_E8, "9999999999.99999999"],
  ] as const;
  for (const [amount, text] of cases) assert.equal(formatAmount(amount), text);
});

Deno.test("parseAmount() takes back what formatAmount() wrote", () => {
  const random = seededRandom(11);
  for (let round = 0; round < 2_000; round++) {
    const amount = BigInt(Math.floor(random() * 2 ** 53)) * BigInt(1 + Math.floor(random() * 100));
    assert.equal(parseAmount(formatAmount(amount)), amount);
  }
});

Deno.test("divideHalfUp() rounds halves up and nothing else", () => {
  const cases = [
    [0n, 3n, 0n],
    [1n, 2n, 1n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [3n, 2n, 2n],
    [4_999_999n, 10_000_000n, 0n],
    [5_000_000n, 10_000_000n, 1n],
  ] as const;
  for (const [top, bottom, expected] of cases) assert.equal(divideHalfUp(top, bottom), expected);
});
