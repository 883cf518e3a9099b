import assert from "node:assert/strict";
import * as z from "zod";
import { jsonWords } from "../../src/documents/word_issue.ts";

const SCHEMA = z.strictObject({
  count: z.int().min(1).max(9).optional(),
  share: z.number().gt(0).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  kind: z.literal("video").optional(),
  names: z.array(z.string().max(3)).min(1).max(2).optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
  files: z.union([z.instanceof(Blob), z.array(z.instanceof(Blob)).max(2)]).optional(),
  few: z.union([z.string(), z.array(z.string()).max(2)]).optional(),
  nested: z.object({ on: z.boolean() }).optional(),
  own: z.string().min(2, "Expected a name").optional(),
  form: z.string().regex(/^a+$/).optional(),
});

function wordsOf(value: unknown): string | undefined {
  return SCHEMA.safeParse(value, { error: jsonWords }).error?.issues[0]?.message;
}

const CASES: readonly (readonly [unknown, string])[] = [
  [{ count: 0 }, "Expected a number of at least 1"],
  [{ count: 10 }, "Expected a number of at most 9"],
  [{ count: 1.5 }, "Expected a whole number, found a number"],
  [{ count: "1" }, "Expected a number, found a string"],
  [{ share: 0 }, "Expected a number above 0"],
  [{ order: "up" }, "Expected one of asc, desc"],
  [{ kind: "chat" }, "Expected video"],
  [{ names: [] }, "Must not be empty"],
  [{ names: ["a", "b", "c"] }, "Too long: at most 2 entries"],
  [{ names: ["abcd"] }, "Too long: at most 3 characters"],
  [{ names: null }, "Expected a list, found null"],
  [{ either: 5 }, "Expected a string or a list, found a whole number"],
  [{ files: [1, 2, 3].map(() => new Blob()) }, "Too long: at most 2 entries"],
  [{ few: ["a", "b", "c"] }, "Too long: at most 2 entries"],
  [{ few: 5 }, "Expected a string or a list, found a whole number"],
  [{ nested: true }, "Expected an object, found true"],
  [{ nested: {} }, "Missing: expected true or false"],
  [{ own: "a" }, "Expected a name"],
  [{ form: "b" }, "Expected text of the form /^a+$/"],
  [[], "Expected an object, found a list"],
];

for (const [value, expected] of CASES) {
  Deno.test(`jsonWords() says of ${JSON.stringify(value)} what is expected`, () => {
    assert.equal(wordsOf(value), expected);
  });
}
