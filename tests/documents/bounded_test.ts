import assert from "node:assert/strict";
import * as z from "zod";
import { boundedList, boundedRecord } from "../../src/documents/bounded.ts";

/** An entry that counts how often it is looked at. */
function countedEntry() {
  const seen: unknown[] = [];
  const entry = z.unknown().refine((value) => {
    seen.push(value);
    return value === "fine";
  }, "Expected what is fine");
  return { seen, entry };
}

Deno.test("a bounded list gives what a list of the library gives", () => {
  const entry = z.string().transform((text) => text.length);
  const list = boundedList(entry, { least: 1, most: 3 });
  assert.deepEqual(list.parse(["a", "bcd"]), [1, 3]);
  assert.deepEqual(
    z.toJSONSchema(list, { io: "input" }),
    z.toJSONSchema(
      z.array(entry).min(1).max(3),
      { io: "input" },
    ),
  );
  for (const value of ["text", {}, null, undefined, 7]) {
    assert.equal(list.safeParse(value).error!.issues[0]!.code, "invalid_type");
  }
  assert.equal(list.safeParse([]).error!.issues[0]!.code, "too_small");
});

Deno.test("a bounded list that is too long is refused without a look at an entry", () => {
  const { seen, entry } = countedEntry();
  const { issues } = boundedList(entry, { most: 2 }).safeParse([0, 0, 0]).error!;
  assert.deepEqual(issues.map(({ code, path }) => ({ code, path })), [
    { code: "too_big", path: [] },
  ]);
  assert.deepEqual(seen, []);
});

Deno.test("a bounded list ends at its first fault, or at as many as are to be told", () => {
  for (const faults of [1, 2]) {
    const { seen, entry } = countedEntry();
    const list = boundedList(entry, { most: 10, faults });
    const { issues } = list.describe("What it is").safeParse(["fine", 1, "fine", 2, 3]).error!;
    assert.deepEqual(issues.map(({ path }) => path), [[1], [3]].slice(0, faults));
    assert.deepEqual(seen, ["fine", 1, "fine", 2].slice(0, 2 * faults));
  }
});

Deno.test("a bounded record gives what a record of the library gives", () => {
  const record = boundedRecord(z.string().max(3), z.int(), { most: 2 });
  assert.deepEqual(record.parse({ a: 1, b: 2 }), { a: 1, b: 2 });
  assert.deepEqual(record.parse(JSON.parse('{"__proto__":1,"b":2}')), { b: 2 });
  assert.equal(record.safeParse([]).error!.issues[0]!.code, "invalid_type");
  const { properties: _, ...schema } = z.toJSONSchema(record);
  assert.equal(schema.maxProperties, 2);
});

Deno.test("a bounded record is looked at only within its bounds", () => {
  const { seen, entry } = countedEntry();
  const tooMany = boundedRecord(z.string(), entry, { most: 1 }).safeParse({ a: 1, b: 1 });
  assert.deepEqual(tooMany.error!.issues.map(({ message }) => message), [
    "Expected at most 1 pairs: it has 2",
  ]);
  assert.deepEqual(seen, []);
  for (const faults of [1, 2]) {
    const record = boundedRecord(z.string(), entry, { most: 9, faults });
    const { issues } = record.safeParse({ a: "fine", b: 1, c: 2, d: 3 }).error!;
    assert.deepEqual(issues.map(({ path }) => path), [["b"], ["c"]].slice(0, faults));
  }
});

Deno.test("a bounded list takes usual entries as they are, and others by its schema", () => {
  const { seen, entry } = countedEntry();
  const list = boundedList(entry, { most: 9, isUsual: (one) => one === "usual" });
  assert.deepEqual(list.describe("What it is").parse(["usual", "fine", "usual"]), [
    "usual",
    "fine",
    "usual",
  ]);
  assert.deepEqual(list.safeParse(["usual", 1, 2]).error!.issues.map(({ path }) => path), [[1]]);
  assert.deepEqual(seen, ["fine", 1]);
});
