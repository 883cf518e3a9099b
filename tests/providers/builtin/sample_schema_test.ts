import assert from "node:assert/strict";
import * as z from "zod";
import {
  SampleBudget,
  sampleSteps,
  UnsatisfiableSchema,
} from "../../../src/providers/builtin/sample_schema.ts";

/** All steps in one go. */
function sampleSchema(schema: unknown, budget?: SampleBudget): unknown {
  const steps = sampleSteps(schema, budget);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

const EXACT: readonly [name: string, schema: unknown, value: unknown][] = [
  ["const", { const: { a: [1, null] } }, { a: [1, null] }],
  ["enum", { enum: ["b", "a"] }, "b"],
  ["enum with a type", { type: "integer", enum: ["b", 1.5, 7] }, 7],
  ["null", { type: "null" }, null],
  ["boolean", { type: "boolean" }, true],
  ["string", { type: "string" }, "example"],
  ["integer", { type: "integer" }, 1],
  ["any", true, "example"],
  ["an empty schema", {}, "example"],
  ["a type list, null last", { type: ["null", "integer"] }, 1],
  ["nullable", { type: "integer", nullable: true, minimum: 5, maximum: 4 }, null],
  ["inferred object", { properties: { a: { type: "null" } } }, { a: null }],
  ["inferred array", { items: { const: 1 } }, [1]],
  ["required without properties", { type: "object", required: ["a"] }, { a: "example" }],
  [
    "properties in the schema's order",
    { type: "object", properties: { b: { const: 1 }, a: { const: 2 } }, required: ["a"] },
    { b: 1, a: 2 },
  ],
  [
    "an optional property that cannot be is left out",
    { type: "object", properties: { a: { const: 1 }, b: false } },
    { a: 1 },
  ],
  ["minProperties", { type: "object", minProperties: 2, additionalProperties: { const: 1 } }, {
    extra_1: 1,
    extra_2: 1,
  }],
  ["maxProperties", {
    type: "object",
    maxProperties: 1,
    properties: { a: { const: 1 }, b: { const: 2 } },
    required: ["b"],
  }, { b: 2 }],
  ["prefixItems", { type: "array", prefixItems: [{ const: 1 }, { const: 2 }], items: false }, [
    1,
    2,
  ]],
  ["draft 7 tuples", { type: "array", items: [{ const: 1 }], minItems: 2 }, [1, "example"]],
  ["maxItems 0", { type: "array", items: { const: 1 }, maxItems: 0 }, []],
  ["uniqueItems", { type: "array", uniqueItems: true, minItems: 3, items: { type: "integer" } }, [
    1,
    2,
    3,
  ]],
  ["uniqueItems of an enum", {
    type: "array",
    uniqueItems: true,
    minItems: 2,
    items: { enum: ["a", "b"] },
  }, ["a", "b"]],
  ["anyOf takes the first branch that can be", { anyOf: [false, { const: 2 }] }, 2],
  ["oneOf", { oneOf: [{ type: "integer", minimum: 3 }, { type: "null" }] }, 3],
  ["anyOf beside other keys", {
    type: "object",
    properties: { a: { const: 1 } },
    anyOf: [{ required: ["b"], properties: { b: { const: 2 } } }],
  }, { a: 1, b: 2 }],
  ["allOf", {
    allOf: [
      { type: "object", properties: { a: { type: "integer", minimum: 3 } }, required: ["a"] },
      { properties: { a: { maximum: 9 }, b: { const: 2 } } },
    ],
  }, { a: 3, b: 2 }],
  ["$ref beside other keys", {
    $defs: { positive: { type: "integer", minimum: 2 } },
    $ref: "#/$defs/positive",
    maximum: 5,
  }, 2],
  ["$ref with escapes", {
    definitions: { "a/b~c d": { const: 1 } },
    properties: { x: { $ref: "#/definitions/a~1b~0c%20d" } },
  }, { x: 1 }],
  ["a property named __proto__", JSON.parse('{"properties":{"__proto__":{"const":1}}}'), undefined],
];

for (const [name, schema, value] of EXACT) {
  Deno.test(`sampleSteps() satisfies ${name}`, () => {
    const sample = sampleSchema(schema);
    if (value === undefined) assert.equal(JSON.stringify(sample), '{"__proto__":1}');
    else assert.deepEqual(sample, value);
    if (typeof value === "object" && value !== null) {
      assert.deepEqual(Object.keys(sample as object), Object.keys(value));
    }
  });
}

const NUMBERS: readonly object[] = [
  { minimum: 10 },
  { maximum: -10 },
  { minimum: 0.2, maximum: 0.3 },
  { exclusiveMinimum: 1, exclusiveMaximum: 1.5 },
  { exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { minimum: 7, maximum: 7 },
  { multipleOf: 0.1, minimum: 0.25 },
  { multipleOf: 5, minimum: 11, maximum: 19 },
  { multipleOf: 3, maximum: -4 },
];

for (const bounds of NUMBERS) {
  Deno.test(`sampleSteps() keeps numbers within ${JSON.stringify(bounds)}`, () => {
    for (const type of ["number", "integer"]) {
      const schema = { type, ...bounds };
      const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
      let sample: unknown;
      try {
        sample = sampleSchema(schema);
      } catch (error) {
        assert.ok(error instanceof UnsatisfiableSchema);
        assert.ok(type === "integer" && !("multipleOf" in bounds && bounds.multipleOf === 5));
        continue;
      }
      assert.ok(parsed.safeParse(sample).success, `${type} ${sample}`);
    }
  });
}

Deno.test("sampleSteps() takes draft 4's exclusiveMinimum: true", () => {
  assert.equal(sampleSchema({ type: "integer", minimum: 1, exclusiveMinimum: true }), 2);
});

const FORMATS = ["date-time", "date", "email", "uuid", "ipv4", "ipv6", "uri"];

for (const format of FORMATS) {
  Deno.test(`sampleSteps() makes strings of format ${format}, different ones where asked`, () => {
    const items = { type: "string", format };
    const list = sampleSchema({ type: "array", items, minItems: 3, uniqueItems: true }) as string[];
    assert.equal(new Set(list).size, 3);
    const parsed = z.fromJSONSchema(items as Parameters<typeof z.fromJSONSchema>[0]);
    for (const text of list) assert.ok(parsed.safeParse(text).success, text);
  });
}

Deno.test("sampleSteps() keeps strings within their lengths", () => {
  for (const [minLength, maxLength] of [[0, 0], [0, 3], [10, 12], [50, 50], [7, 7]] as const) {
    const sample = sampleSchema({ type: "string", minLength, maxLength }) as string;
    assert.ok(sample.length >= minLength && sample.length <= maxLength, sample);
  }
});

Deno.test("sampleSteps() satisfies what structured-output clients send", () => {
  const schema = z.toJSONSchema(z.object({
    name: z.string().min(3),
    email: z.email(),
    age: z.number().int().min(18).max(99),
    tags: z.array(z.enum(["a", "b"])).min(2),
    address: z.object({ city: z.string(), zip: z.string().nullable() }).optional(),
    payment: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("card"), digits: z.string().length(4) }),
      z.object({ kind: z.literal("cash") }),
    ]),
    scores: z.record(z.string(), z.number()),
    pair: z.tuple([z.string(), z.boolean()]),
  }));
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const result = parsed.safeParse(sampleSchema(schema));
  assert.ok(result.success, JSON.stringify(result.error));
});

Deno.test("sampleSteps() ends recursion", () => {
  const node = {
    type: "object",
    properties: {
      value: { type: "string" },
      children: { type: "array", items: { $ref: "#/$defs/node" } },
      next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
    },
    required: ["value", "children", "next"],
    additionalProperties: false,
  };
  const schema = { $defs: { node }, $ref: "#/$defs/node" };
  const text = JSON.stringify(sampleSchema(schema));
  assert.ok(text.length < 100_000);
  assert.ok(text.includes('"next":null'));
});

const UNSATISFIABLE: readonly [name: string, schema: unknown][] = [
  ["false", false],
  ["bounds that exclude each other", { type: "integer", minimum: 5, maximum: 4 }],
  ["lengths that exclude each other", { type: "string", minLength: 5, maxLength: 4 }],
  ["an empty enum", { enum: [] }],
  ["a required property that cannot be", { properties: { a: false }, required: ["a"] }],
  ["recursion without an end", {
    $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] } },
    $ref: "#/$defs/a",
  }],
  ["a $ref to itself", { $defs: { a: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }],
  ["allOf that contains itself", { allOf: [{ $ref: "#" }] }],
  ["anyOf that contains itself", { anyOf: [{ $ref: "#" }] }],
  ["a $ref to nothing", { $ref: "#/$defs/none" }],
  ["a $ref elsewhere", { $ref: "http://127.0.0.1/schema.json" }],
  ["billions of items", { type: "array", minItems: 1e9, items: { type: "string" } }],
  ["billions of items that may be anything", { type: "array", minItems: 1e9 }],
  ["billions of properties that may be anything", { type: "object", minProperties: 1e9 }],
  ["gigabytes of long texts", {
    type: "array",
    minItems: 15_000,
    items: { type: "string", minLength: 100_000 },
  }],
  ["gigabytes of one constant", {
    type: "array",
    minItems: 15_000,
    items: { const: ["x".repeat(150_000)] },
  }],
  ["gigabytes of one name", {
    type: "array",
    minItems: 15_000,
    items: { type: "object", required: ["x".repeat(150_000)] },
  }],
  ["megabytes of schema", { type: "string", description: "x".repeat(200_000) }],
  ["many copies of a wide schema", {
    type: "array",
    minItems: 5_000,
    items: {
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`x${at}`, 1])),
      anyOf: [{ type: "null" }],
    },
  }],
  ["many comparisons of long lists", {
    $defs: { list: { enum: Array.from({ length: 10_000 }, (_, at) => `value ${at}`) } },
    type: "array",
    minItems: 300,
    items: { allOf: [{ $ref: "#/$defs/list" }, { $ref: "#/$defs/list" }] },
  }],
  ["a string of a gigabyte", { type: "string", minLength: 1e9 }],
  ["types that exclude each other", { allOf: [{ type: "string" }, { type: "object" }] }],
  ["too few different items", {
    type: "array",
    uniqueItems: true,
    minItems: 3,
    items: { type: "boolean" },
  }],
  ["exponential growth", {
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `l${at}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/l${at + 1}` }, b: { $ref: `#/$defs/l${at + 1}` } },
          required: ["a", "b"],
        },
      ]).concat([["l30", { type: "string" }]] as never),
    ),
    $ref: "#/$defs/l0",
  }],
];

for (const [name, schema] of UNSATISFIABLE) {
  Deno.test(`sampleSteps() refuses ${name}`, () => {
    assert.throws(() => sampleSchema(schema), UnsatisfiableSchema);
  });
}

Deno.test("sampleSteps() spends one budget for all schemas of a call", () => {
  const schema = { type: "array", minItems: 3_000, items: { type: "null" } };
  const budget = new SampleBudget();
  assert.equal((sampleSchema(schema, budget) as unknown[]).length, 3_000);
  assert.throws(() => {
    for (let again = 0; again < 10; again++) sampleSchema(schema, budget);
  }, UnsatisfiableSchema);
});
