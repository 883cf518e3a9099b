import assert from "node:assert/strict";
import { eachFeature } from "../../../src/providers/builtin/features.ts";

/** The words of a text, as its features have them. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  Array.from(eachFeature(text, (feature) => {
    if (feature.startsWith("w ")) words.push(feature.slice(2));
  }));
  return words;
}

Deno.test("eachFeature() tells whole words and their pairs however long the text is", () => {
  const words = ["étude", "ﬁn", "e\u0301clat", "㎢", "東", "\u{20bb7}", "x".repeat(490)];
  const expected = ["étude", "fin", "éclat", "km2", "東", "\u{20bb7}", "x".repeat(490)];
  for (let shift = 0; shift < 40; shift++) {
    const filler = Array<string>(shift).fill("a");
    const text = [...filler, ...words, ...filler, ...words].join(" ");
    assert.deepEqual(wordsOf(text), [...filler, ...expected, ...filler, ...expected]);
    const pairs = new Set<string>();
    Array.from(eachFeature(text, (feature) => pairs.add(feature)));
    assert.ok(pairs.has(`p 東 \u{20bb7}`) && pairs.has(`p étude fin`));
  }
});

Deno.test("eachFeature() cuts what is longer than any word, and no character in two", () => {
  assert.deepEqual(wordsOf("y".repeat(1_200)).map((word) => word.length), [500, 500, 200]);
  const cut = wordsOf("a" + "𝒳".repeat(600) + "\u0301\u0316".repeat(2_000));
  assert.equal(cut.join(""), "a" + "x".repeat(600));
});

Deno.test("eachFeature() leaves signs alone that stand for a whole sentence", () => {
  assert.deepEqual(wordsOf("\ufdfa".repeat(1_000)), ["\ufdfa".repeat(500), "\ufdfa".repeat(500)]);
});
