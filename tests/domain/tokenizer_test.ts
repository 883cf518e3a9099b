import assert from "node:assert/strict";
import { countTokens, endOfToken } from "../../src/domain/tokenizer.ts";

function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at += tokens.at(-1)!.length) {
    tokens.push(text.slice(at, endOfToken(text, at)));
  }
  return tokens;
}

const ROWS: readonly [text: string, tokens: readonly string[]][] = [
  ["", []],
  ["Hello there, friend!", ["Hello", " there", ",", " friend", "!"]],
  ["extraordinarily", ["extraord", "inarily"]],
  ["in 2026 at 12:30", ["in", " 202", "6", " at", " 12", ":", "30"]],
  ["a  b", ["a", "  ", "b"]],
  ["if (x) {\n    y();\n}", ["if", " (", "x", ")", " {", "\n    ", "y", "();", "\n", "}"]],
  ["你好 世界", ["你", "好", " ", "世", "界"]],
  ["Привет мир", ["Прив", "ет", " мир"]],
  ["日本語テキスト", ["日", "本", "語", "テ", "キ", "ス", "ト"]],
  ["한국어", ["한", "국", "어"]],
  ["ok 👍🏽!", ["ok", " ", "👍", "🏽", "!"]],
  ["\ud83d alone", ["\ud83d", " alone"]],
  ["\ude00", ["\ude00"]],
  [" ", [" "]],
  [" \u00a0", [" \u00a0"]],
  ["café", ["caf", "é"]],
];

for (const [text, tokens] of ROWS) {
  Deno.test(`endOfToken() splits ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitTokens(text), tokens);
    assert.equal(countTokens(text), tokens.length);
  });
}

Deno.test("endOfToken() loses nothing, whatever the text", () => {
  let seed = 7;
  for (let round = 0; round < 200; round++) {
    let text = "";
    for (let at = 0; at < 50; at++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += String.fromCharCode(seed % (round % 2 === 0 ? 0x100 : 0x10000));
    }
    const tokens = splitTokens(text);
    assert.equal(tokens.join(""), text);
    assert.equal(countTokens(text), tokens.length);
    assert.ok(tokens.every((token) => token !== ""));
  }
});

Deno.test("countTokens() comes near what vendors count for English prose", () => {
  // 44 tokens in OpenAI's o200k_base.
  const text = "The quick brown fox jumps over the lazy dog. It was not amused, but it had seen " +
    "worse: in 1987 a whole parliament of owls had held its annual meeting right there, on its " +
    "favourite tree.";
  const count = countTokens(text);
  assert.ok(count >= 38 && count <= 50, `counted ${count}`);
});

Deno.test("countTokens() takes 20 MB of any kind in its stride", () => {
  for (const unit of ["a", " ", "\n", "1", "你", "😀", "é", "!", "a "]) {
    const text = unit.repeat(20_000_000 / unit.length);
    assert.ok(countTokens(text) > 0);
  }
});
