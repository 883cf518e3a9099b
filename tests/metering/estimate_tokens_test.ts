import assert from "node:assert/strict";
import { countTokens } from "../../src/domain/tokenizer.ts";
import {
  COUNTED_CHARACTERS,
  estimateTokens,
  estimateTokensOfAll,
} from "../../src/metering/usage_meter.ts";

Deno.test("estimateTokensOfAll() counts each of several texts as a text of its own", () => {
  const texts = ["Hello", "World", "東京", "!", " "];
  const expected = texts.reduce((sum, text) => sum + countTokens(text), 0);
  assert.equal(estimateTokensOfAll(texts), expected);
});

Deno.test("estimateTokensOfAll() takes what is beyond the first 200,000 characters to be like them", () => {
  const text = "work ".repeat(10_000);
  const few = Array<string>(COUNTED_CHARACTERS / text.length).fill(text);
  const most = estimateTokensOfAll(few);
  assert.equal(most, few.length * countTokens(text));
  // However it goes on: it is not looked at.
  const dense = "東".repeat(text.length);
  assert.equal(estimateTokensOfAll([...few, ...few.map(() => dense)]), 2 * most);
  // In one text or in several.
  assert.equal(
    estimateTokensOfAll([few.join("").repeat(9)]),
    estimateTokens(few.join("").repeat(9)),
  );
});
