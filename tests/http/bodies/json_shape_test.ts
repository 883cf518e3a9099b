import assert from "node:assert/strict";
import { GatewayError } from "../../../src/errors.ts";
import { checkJsonShape } from "../../../src/http/bodies/json_shape.ts";

function faultOf(text: string, maxDepth: number): GatewayError | undefined {
  try {
    checkJsonShape(new TextEncoder().encode(text), maxDepth);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    return error;
  }
}

function list(entries: number, entry = "0"): string {
  return `[${Array(entries).fill(entry).join(",")}]`;
}

function object(members: number, value = "0"): string {
  return `{${Array.from({ length: members }, (_, index) => `"${index}":${value}`).join(",")}}`;
}

const DEEP = 3;
const CASES: readonly [name: string, text: string, fault: string | undefined][] = [
  ["levels that are taken", "[[[1]],{}]", undefined],
  ["one level more", "[[[[1]]]]", "The body is nested more than 3 levels deep"],
  ["brackets in a text", '["[[[[{{{{"]', undefined],
  ["brackets behind a quote in a text", String.raw`["\"[[[[", "\\"]`, undefined],
  ["levels one after the other", list(50, "[[]]"), undefined],
  ["a long text before brackets", `["${"x".repeat(500)}", [[[[1]]]]]`, "3 levels"],
  ["brackets in a long text", `["${"x".repeat(500)}[[[["]`, undefined],
  ["brackets behind a quote far in a text", String.raw`["${"x".repeat(500)}\"[[[["]`, undefined],
  [
    "brackets behind a long text that ends in a backslash",
    String.raw`["${"x".repeat(500)}\\", [[[[1]]]]]`,
    "3 levels",
  ],
  ["a text of escaped quotes", String.raw`["${String.raw`\"`.repeat(500)}[[[["]`, undefined],
  ["a long text that never ends", `["${"x".repeat(500)}[[[[`, undefined],
  ["members that are taken", object(10_000), undefined],
  ["one member more", object(10_001), "more than 10000 members in one object"],
  ["equal names", `{${Array(10_001).fill('"a":0').join(",")}}`, "members in one object"],
  ["colons and commas in a text", `["${":,".repeat(200_000)}"]`, undefined],
  ["members in all", list(10, object(10_000)), undefined],
  ["more members in all", list(11, object(9_999)), "more than 100000 members in its objects"],
  ["entries that are taken", list(100_000), undefined],
  ["one entry more", list(100_001), "more than 100000 entries in one list"],
  ["the tokens that OpenAI embeds at once", list(2_048, list(147)), undefined],
  ["more entries in all", list(6, list(99_999)), "more than 500000 entries in its lists"],
  ["entries of objects in between", list(60_000, "{}"), undefined],
  ["objects and lists", list(99_999, "[]"), undefined],
  ["more objects and lists", list(100_000, "[]"), "more than 100000 objects and lists"],
  ["a list within members", `{"a":${list(100_001)}}`, "entries in one list"],
  ["members behind a list", `{"a":[0,0],${object(10_000).slice(1)}`, "members in one object"],
  ["what is no JSON", "]]]}{[:,,", undefined],
  ["a text without an end", '["\\', undefined],
];

for (const [name, text, fault] of CASES) {
  Deno.test(`checkJsonShape() measures ${name}`, () => {
    const found = faultOf(text, DEEP);
    if (fault === undefined) return assert.equal(found, undefined);
    assert.equal(found?.code, fault.includes("levels") ? "invalid_json" : "invalid_value");
    assert.ok(found.message.includes(fault), found.message);
  });
}

const FIELDS: readonly [text: string, param: string | undefined][] = [
  [`{"a":"b","in\\u0070ut" : ${list(100_001)}}`, "input"],
  [`{"a":{"b":[${object(10_001)}]},"c":1}`, "a"],
  [object(10_001), undefined],
  [list(100_001), undefined],
  [`[${list(100_001)}]`, undefined],
  [`{"${"x".repeat(300)}":${list(100_001)}}`, undefined],
];

for (const [text, param] of FIELDS) {
  Deno.test(`checkJsonShape() names ${param} where ${text.slice(0, 30)} is too long`, () => {
    const found = faultOf(text, DEEP + 1);
    assert.equal(found?.code, "invalid_value");
    assert.equal(found.param ?? undefined, param);
  });
}

Deno.test("checkJsonShape() finds the ends of texts wherever these and the body begin and end", () => {
  const encoder = new TextEncoder();
  for (let length = 0; length < 140; length++) {
    for (const escapes of ["", '\\"', "\\\\", "\\n\\u0001"]) {
      const list = JSON.stringify(["[{".repeat(600)]);
      const head = `{"${"a".repeat(length % 7)}":"${"{".repeat(length)}${escapes}","list":`;
      const text = `${head}${list},"x":"${escapes}${"[".repeat(length)}"}`;
      const expected = {
        members: 3,
        long: [{ name: "list", start: head.length, end: head.length + list.length, members: 0 }],
      };
      const bytes = encoder.encode(text);
      for (let offset = 0; offset < 4; offset++) {
        // What is around a body is none of its: here a text that does not end, and others that begin.
        const around = new Uint8Array(offset + bytes.length + 9).fill(0x22);
        around.set(bytes, offset);
        const body = around.subarray(offset, offset + bytes.length);
        assert.deepEqual(checkJsonShape(body, 3), expected, text);
        assert.deepEqual(checkJsonShape(body, 3, text), expected, text);
      }
    }
  }
});
