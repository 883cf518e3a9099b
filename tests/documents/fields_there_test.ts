import assert from "node:assert/strict";
import * as z from "zod";
import { forFieldsThere } from "../../src/documents/fields_there.ts";
import { madeSchema } from "../../src/documents/made_schema.ts";
import { ENDPOINTS } from "../../src/http/server.ts";

/** What bodies have in their fields, right or wrong by the field. */
const VALUES: readonly unknown[] = [
  null,
  true,
  "text",
  "lowest_price",
  7,
  -1,
  [],
  ["text"],
  [{ role: "user", type: "x" }],
  [[]],
  {},
  { include: true, order: ["text"] },
  { order: 7 },
  { include: "no" },
];

/** Every result of a check, in the order of its members. */
function resultOf(schema: z.ZodType, value: unknown): string {
  const { success, data, error } = schema.safeParse(value);
  return JSON.stringify(success ? { data } : { issues: error.issues });
}

Deno.test("a body is checked by the fields it has as by the whole schema of its endpoint", () => {
  let compared = 0;
  for (const { description } of ENDPOINTS) {
    const request = description?.request?.schema;
    const schema = request && madeSchema(request);
    if (!(schema instanceof z.ZodObject)) continue;
    const fitting = forFieldsThere<unknown>(request!);
    const names = [...Object.keys(schema.shape), "unknown_field"];
    const fields = ["model", "messages", "input", "max_tokens"];
    const usual = { model: "m", messages: [{ role: "user" }], input: "text", max_tokens: 5 };
    const bodies: object[] = [{}, usual];
    for (const name of names) {
      for (const value of VALUES) bodies.push({ ...usual, [name]: value }, { [name]: value });
    }
    names.forEach((name, index) => {
      const other = names[(index * 5 + 3) % names.length]!;
      if (fields.includes(other)) return;
      for (const value of VALUES) bodies.push({ ...usual, [other]: value, [name]: "text" });
    });
    for (const body of bodies) {
      assert.equal(resultOf(fitting(body), body), resultOf(schema, body), JSON.stringify(body));
      compared++;
    }
  }
  assert(compared > 5_000, `only ${compared} bodies were compared`);
});

Deno.test("a schema for the fields there is made once for each set of them", () => {
  const fitting = forFieldsThere(
    z.object({ a: z.int(), b: z.int().nullish(), c: z.int().nullish() }),
  );
  const first = fitting({ a: 1, b: 2 });
  assert.equal(fitting({ b: null, a: 7, d: 1 }), first);
  assert.notEqual(fitting({ a: 1 }), first);
});

Deno.test("a field that is wrong or has a value where it is absent stays", () => {
  const schema = z.object({
    a: z.int().nullish(),
    b: z.int(),
    c: z.string().default("c").optional(),
  });
  const fitting = forFieldsThere(schema);
  assert.deepEqual(fitting({ b: 1 }).parse({ b: 1 }), { b: 1, c: "c" });
  assert.deepEqual(fitting({}).safeParse({}).error?.issues.map(({ path }) => path), [["b"]]);
});

Deno.test("a schema with a check of its own is taken whole", () => {
  const schema = z.object({ a: z.int().nullish() }).refine(
    ({ a }) => a !== undefined,
    "Expected a",
  );
  assert.equal(forFieldsThere(schema)({}), schema);
  assert.equal(forFieldsThere<unknown>(z.string())("text") instanceof z.ZodString, true);
});

Deno.test("sets of fields that are made up fill no memory", () => {
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
  const schema = z.object(Object.fromEntries(names.map((name) => [name, z.int().nullish()])));
  const fitting = forFieldsThere<unknown>(schema);
  const made = new Set<z.ZodType>();
  for (let set = 0; set < 1_024; set++) {
    const there = names.filter((_, index) => (set & (1 << index)) !== 0);
    made.add(fitting(Object.fromEntries(there.map((name) => [name, 1]))));
  }
  assert.equal(made.size, 65);
  assert(made.has(schema));
});
