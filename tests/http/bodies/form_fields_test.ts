import assert from "node:assert/strict";
import { readFormFields } from "../../../src/http/bodies/form_fields.ts";
import type { FormPart } from "../../../src/http/bodies/parse_multipart.ts";

const FILE = new Uint8Array([1, 2, 3]);

const READABLE: readonly (readonly [what: string, parts: readonly FormPart[], json: unknown])[] = [
  ["plain names", [["prompt", "a"], ["seconds", "4"]], { prompt: "a", seconds: "4" }],
  ["an empty form", [], {}],
  ["an empty text", [["prompt", ""]], { prompt: "" }],
  [
    "a list inside an object",
    [["source_policy[exclude_risk_levels][]", "high"], [
      "source_policy[exclude_risk_levels][]",
      "low",
    ]],
    { source_policy: { exclude_risk_levels: ["high", "low"] } },
  ],
  ["a list at the top", [["tags[]", "a"], ["tags[]", "b"]], { tags: ["a", "b"] }],
  ["objects four deep", [["a[b][c][d][e]", "x"]], { a: { b: { c: { d: { e: "x" } } } } }],
  ["fields of one object", [["a[b]", "1"], ["c", "2"], ["a[d]", "3"]], {
    a: { b: "1", d: "3" },
    c: "2",
  }],
  ["an image as a data URL", [["input_reference[image_url]", "data:"]], {
    input_reference: { image_url: "data:" },
  }],
  ["names that every object knows", [["toString", "1"], ["a[hasOwnProperty]", "2"]], {
    toString: "1",
    a: { hasOwnProperty: "2" },
  }],
];

for (const [what, parts, json] of READABLE) {
  Deno.test(`readFormFields() reads ${what}`, () => {
    const fields = readFormFields(parts);
    // Compared as JSON: nested objects have no prototype.
    assert.equal(JSON.stringify(fields), JSON.stringify(json));
  });
}

Deno.test("readFormFields() gives files as their bytes", () => {
  const { input_reference: file } = readFormFields([["input_reference", FILE]]);
  assert.deepEqual(file, FILE);
});

const REFUSED: readonly (readonly [what: string, parts: readonly FormPart[]])[] = [
  ["a name given twice", [["a", "1"], ["a", "2"]]],
  ["a nested name given twice", [["a[b]", "1"], ["a[b]", "2"]]],
  ["a text that has fields", [["a", "1"], ["a[b]", "2"]]],
  ["an object that is a text too", [["a[b]", "1"], ["a", "2"]]],
  ["a list that has fields", [["a[]", "1"], ["a[b]", "2"]]],
  ["an object that is a list too", [["a[b]", "1"], ["a[]", "2"]]],
  ["a file that has fields", [["a", FILE], ["a[b]", "2"]]],
  ["a file whose length is set", [["a", FILE], ["a[length]", "2"]]],
  ["a file whose bytes are set", [["a", FILE], ["a[9]", "2"]]],
  ["a file that is a list", [["a", FILE], ["a[]", "2"]]],
  ["objects five deep", [["a[b][c][d][e][f]", "1"]]],
  ["a list of objects", [["a[][b]", "1"]]],
  ["no name", [["", "1"]]],
  ["a name that begins with a bracket", [["[a]", "1"]]],
  ["an open bracket", [["a[b", "1"]]],
  ["a closing bracket", [["a]b", "1"]]],
  ["text behind brackets", [["a[b]c", "1"]]],
  ["brackets in brackets", [["a[[b]]", "1"]]],
  ["a long name", [["a".repeat(129), "1"]]],
  ["__proto__", [["__proto__", "1"]]],
  ["a field of __proto__", [["__proto__[polluted]", "1"]]],
  ["__proto__ inside an object", [["a[__proto__][polluted]", "1"]]],
  ["constructor", [["a[constructor][prototype][polluted]", "1"]]],
  ["prototype", [["prototype", "1"]]],
];

for (const [what, parts] of REFUSED) {
  Deno.test(`readFormFields() refuses ${what}, naming the part`, () => {
    assert.throws(() => readFormFields(parts), {
      name: "GatewayError",
      error: "invalid_value",
      param: parts.at(-1)![0].slice(0, 100),
    });
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
}

Deno.test("readFormFields() reads 200 parts and refuses one more", () => {
  const parts = Array.from({ length: 200 }, (_, index): FormPart => [`f${index}`, "1"]);
  assert.equal(Object.keys(readFormFields(parts)).length, 200);
  assert.throws(() => readFormFields([...parts, ["one_more", "1"]]), {
    error: "invalid_value",
    message: "The form has more than 200 parts",
  });
});
