/**
 * Places of values in a document, and the words for what is wrong with them.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { checkDocument } from "../../src/documents/check_document.ts";
import { didYouMean } from "../../src/documents/did_you_mean.ts";
import { formatPath, formatProblem } from "../../src/documents/problem.ts";
import { parseYamlDocument, type YamlDocument } from "../../src/documents/yaml_document.ts";

function documentOf(text: string): YamlDocument {
  const parsed = parseYamlDocument(text, { file: "f" });
  if (!parsed.ok) assert.fail(parsed.problems.map(formatProblem).join("\n"));
  return parsed.document;
}

function problemsOf(schema: z.ZodType, text: string): string[] {
  const checked = checkDocument(schema, documentOf(text));
  return checked.ok ? [] : checked.problems.map(formatProblem);
}

Deno.test("locate() finds keys and values, through aliases, as near as possible", () => {
  const document = documentOf("a:\n  - &x { b: 1 }\n  - *x\n5: five\nc:\n");
  assert.equal(document.locate([]), "f:1:1");
  assert.equal(document.locate(["a"]), "f:2:3");
  assert.equal(document.locate(["a"], { key: true }), "f:1:1");
  assert.equal(document.locate(["a", 0, "b"]), "f:2:13");
  assert.equal(document.locate(["a", 0, "b"], { key: true }), "f:2:10");
  assert.equal(document.locate(["a", 1, "b"]), "f:2:13");
  assert.equal(document.locate(["a", 7, "b"]), "f:2:3");
  assert.equal(document.locate(["a", 0, "zz"]), "f:2:8");
  assert.equal(document.locate(["5"]), "f:4:4");
  assert.equal(document.locate(["c", "d"]), "f:5:3");
  assert.equal(documentOf("{ x: 1, a }").locate(["a"]), "f:1:9");
});

Deno.test("locate() counts lines of JSON, CRLF and after a byte order mark", () => {
  assert.equal(documentOf('{\n "a": {\n  "b": 1}}').locate(["a", "b"]), "f:3:8");
  assert.equal(documentOf("a: 1\r\nb: 2\r\n").locate(["b"]), "f:2:4");
  assert.equal(documentOf("\uFEFFa: 1\nb: 2\n").locate(["b"]), "f:2:4");
});

Deno.test("checkDocument() chooses the branch of a union that fits the value", () => {
  const schema = z.strictObject({
    a: z.union([z.string().regex(/^x/, "Not x"), z.array(z.string().regex(/^y/, "Not y"))]),
  });
  assert.deepEqual(problemsOf(schema, "a: b"), ["f:1:4: a: Not x"]);
  assert.deepEqual(problemsOf(schema, "a: [y, b]"), ["f:1:8: a[1]: Not y"]);
  assert.deepEqual(problemsOf(schema, "a: { b: 1 }"), [
    "f:1:4: a: Expected text or a list, found a mapping",
  ]);
  assert.deepEqual(problemsOf(schema, "{}"), ["f:1:1: a: Missing: expected text or a list"]);
  assert.deepEqual(problemsOf(schema, "a: 010"), [
    'f:1:4: a: Expected text or a list, found the number 010: put it in quotes, "010"',
  ]);
});

Deno.test("checkDocument() words bounds", () => {
  const schema = z.strictObject({
    n: z.int().min(2).max(3).optional(),
    f: z.number().gt(0).optional(),
    s: z.string().min(1).max(2).optional(),
    l: z.array(z.int()).min(1).max(1).optional(),
  });
  const cases: readonly (readonly [string, string])[] = [
    ["n: 1", "f:1:4: n: Expected a number of at least 2"],
    ["n: 4", "f:1:4: n: Expected a number of at most 3"],
    ["n: 2.5", "f:1:4: n: Expected a whole number, found a number"],
    ["n: 1e30", "f:1:4: n: Expected a number of at most 3"],
    ["f: 0", "f:1:4: f: Expected a number above 0"],
    ["s: ''", "f:1:4: s: Must not be empty"],
    ["s: abc", "f:1:4: s: Too long: at most 2 characters"],
    ["l: []", "f:1:4: l: Must not be empty"],
    ["l: [1, 2]", "f:1:4: l: Too long: at most 1 entries"],
    ["s:", "f:1:3: s: Expected text, found nothing"],
    ["s: true", 'f:1:4: s: Expected text, found the boolean true: put it in quotes, "true"'],
  ];
  for (const [text, expected] of cases) {
    assert.equal(problemsOf(schema, text).at(-1), expected, text);
  }
});

Deno.test("didYouMean() suggests what is near, and nothing else", () => {
  const words = ["providers", "models", "id"];
  assert.equal(didYouMean("provider", words), "providers");
  assert.equal(didYouMean("Models", words), "models");
  assert.equal(didYouMean("modles", words), "models");
  assert.equal(didYouMean("ids", words), "id");
  assert.equal(didYouMean("xy", words), undefined);
  assert.equal(didYouMean("currency", words), undefined);
  assert.equal(didYouMean("a", []), undefined);
});

Deno.test("formatPath() quotes what is no plain key", () => {
  assert.equal(formatPath(["a", 0, "b-c", "640x360", "x y"]), 'a[0].b-c["640x360"]["x y"]');
  assert.equal(formatPath([]), "");
});

Deno.test("parseYamlDocument() gives up mappings of more keys than can be compared", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 0`);
  for (const text of [keys(5_000).join("\n"), `{ ${keys(5_000).join(", ")} }`]) {
    const parsed = parseYamlDocument(text, { file: "a.yaml" });
    assert.ok(!parsed.ok);
    assert.deepEqual(parsed.problems.map(({ message }) => message), [
      "Nested too deeply, or a mapping of too many keys",
    ]);
  }
  assert.ok(parseYamlDocument(keys(2_000).join("\n"), { file: "a.yaml" }).ok);
});
