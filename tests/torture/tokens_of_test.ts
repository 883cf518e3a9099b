/**
 * @module
 */

import assert from "node:assert/strict";
import { countTokens } from "../../src/domain/tokenizer.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { tokensOf } from "./tokens_of.ts";

Deno.test("tokensOf() counts as the gateway documents", () => {
  for (
    const [text, tokens] of [
      ["", 0],
      ["word word word ", 4],
      ["a 1234 tokens", 4],
      ["extraordinarily", 2],
      ['{"tag":7}', 5],
      ["one\n\ntwo", 3],
    ] as const
  ) assert.equal(tokensOf(text), tokens, JSON.stringify(text));
});

Deno.test("tokensOf() counts ASCII texts as the gateway does", () => {
  const random = new SeededRandom(1);
  for (let round = 0; round < 2_000; round++) {
    const codes = Array.from(
      { length: random.integer(0, 60) },
      () => random.chance(0.2) ? 32 : random.chance(0.05) ? 10 : random.integer(33, 126),
    );
    const text = String.fromCharCode(...codes);
    assert.equal(tokensOf(text), countTokens(text), JSON.stringify(text));
  }
});
