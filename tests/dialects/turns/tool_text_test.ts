import assert from "node:assert/strict";
import { textArguments, ToolTextReader } from "../../../src/dialects/turns/tool_text.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

function read(pieces: readonly string[]): { readonly told: string; readonly rest: string } {
  const reader = new ToolTextReader();
  const told = pieces.map((piece) => reader.add(piece)).join("");
  return { told, rest: reader.end() };
}

const TEXTS = [
  "",
  "plain",
  '*** Begin Patch\n@@\n-"two"\n+\tthree\\n\n*** End Patch\n',
  "é 😀 \u0000 \u2028 \ud83d\ude00",
  "\\u0041 \\\\ /",
];
for (const text of TEXTS) {
  Deno.test(`ToolTextReader reads ${JSON.stringify(text)} wherever it is cut`, () => {
    const escaped = [...text].map((character) =>
      [...Array(character.length).keys()].map((at) =>
        `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
      ).join("")
    ).join("");
    for (const args of [textArguments(text), ` {"input" : "${escaped}"}\n`]) {
      for (let at = 0; at <= args.length; at++) {
        assert.deepEqual(read([args.slice(0, at), args.slice(at)]), { told: text, rest: "" });
      }
      assert.deepEqual(read(args.split("")), { told: text, rest: "" });
    }
  });
}

const OTHERS: readonly [name: string, args: string, text: string][] = [
  ["nothing", "", ""],
  ["an empty object", "{}", ""],
  ["the text alone", "*** Begin Patch", "*** Begin Patch"],
  ["the text as JSON", '"a\\nb"', "a\nb"],
  ["the text under another name", '{"patch":"a\\nb"}', "a\nb"],
  ["the text behind something else", '{"why":1,"input":"a"}', "a"],
  ["an object that has no text", '{"input":{"a":1}}', '{"input":{"a":1}}'],
  ["two texts of other names", '{"a":"1","b":"2"}', '{"a":"1","b":"2"}'],
  ["a list", "[1]", "[1]"],
  ["a long text alone", "x".repeat(500), "x".repeat(500)],
];
for (const [name, args, text] of OTHERS) {
  Deno.test(`ToolTextReader makes do with ${name}`, () => {
    assert.deepEqual(read([args]), { told: "", rest: text });
    assert.deepEqual(read(args.split("")), { told: "", rest: text });
  });
}

Deno.test("ToolTextReader takes what is no JSON as it is meant, and nothing behind the text", () => {
  const told = (args: string) => {
    const { told, rest } = read([args]);
    return told + rest;
  };
  assert.equal(told('{"input":"line\nbreak"}'), "line\nbreak");
  assert.equal(told('{"input":"\\d+ \\u12x"}'), "\\d+ \\u12x");
  assert.equal(told('{"input":"a"}{"input":"b"}'), "a");
  assert.equal(told('{"input":"cut in the mid'), "cut in the mid");
  assert.equal(told('{"input":"cut\\u00'), "cut");
});

Deno.test("ToolTextReader never tells half a character", () => {
  const random = new SeededRandom(20_261_122);
  for (let round = 0; round < 300; round++) {
    const alphabet = ["a", '"', "\\", "\n", "😀", "é", "\u0007"];
    const text = Array.from({ length: 12 }, () => random.pick(alphabet)).join("");
    const args = JSON.stringify({ input: text })
      .replaceAll("😀", () => random.next() < 0.5 ? "😀" : "\\ud83d\\ude00");
    const reader = new ToolTextReader();
    let all = "";
    for (let at = 0; at < args.length;) {
      const code = args.codePointAt(at)!;
      const size = code > 0xffff ? 2 : 1;
      const piece = reader.add(args.slice(at, at += size));
      assert.ok(piece.isWellFormed(), JSON.stringify(piece));
      all += piece;
    }
    assert.equal(all + reader.end(), text);
  }
});
