/**
 * Every schema that something from outside is checked against: its lists and records have a
 * most, and are given up at a fault, so that no body costs more than its size.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { OPERATIONS } from "../../../src/admin/operations.ts";
import { catalogueFileSchema } from "../../../src/catalog/file_schema.ts";
import { BoundedList, BoundedRecord } from "../../../src/documents/bounded.ts";
import { madeSchema } from "../../../src/documents/made_schema.ts";
import { ENDPOINTS } from "../../../src/http/server.ts";
import { chatRequest } from "../../../src/dialects/openai_chat/schemas.ts";
import { validate } from "../../../src/http/bodies/validate.ts";

const REQUESTS = ENDPOINTS.flatMap(({ description }) => {
  const { id, request, query } = description ?? {};
  return [request?.schema, query].flatMap((schema) => schema === undefined ? [] : [{ id, schema }]);
});

/** The lists and records of a schema that are not bounded, by path. */
function unbounded(schema: z.core.$ZodType, path: string): string[] {
  const { def } = schema._zod as { def: z.core.$ZodTypes["_zod"]["def"] };
  const inner = (part: z.core.$ZodType, step = "") => unbounded(part, path + step);
  switch (def.type) {
    case "object":
      return [
        ...Object.entries(def.shape).flatMap(([name, part]) => inner(part, `.${name}`)),
        ...(def.catchall === undefined ? [] : inner(def.catchall, ".*")),
      ];
    case "array":
      return [...(schema instanceof BoundedList ? [] : [path]), ...inner(def.element, "[]")];
    case "record":
      return [...(schema instanceof BoundedRecord ? [] : [path]), ...inner(def.valueType, ".*")];
    case "union":
      return def.options.flatMap((option) => inner(option));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return inner(def.innerType);
    case "lazy":
      return inner(madeSchema(schema as z.ZodLazy));
    case "pipe":
      return [...inner(def.in), ...inner(def.out)];
    case "string":
    case "number":
    case "boolean":
    case "literal":
    case "enum":
    case "null":
    case "unknown":
    case "never":
    case "custom":
    case "transform":
      return [];
    default:
      throw new Error(`Nobody has said whether a schema of type ${def.type} is bounded: ${path}`);
  }
}

Deno.test("every list and record that a caller may send is bounded", () => {
  assert.deepEqual(REQUESTS.flatMap(({ id, schema }) => unbounded(schema, id!)), []);
  assert.ok(REQUESTS.length >= 4);
});

Deno.test("every list and record that an operator may send is bounded", () => {
  assert.deepEqual(OPERATIONS.flatMap(({ name, input }) => unbounded(input, name)), []);
  assert.deepEqual(unbounded(catalogueFileSchema, "catalogue"), []);
});

Deno.test("a list that is not bounded is found wherever it stands", () => {
  const schema = z.object({
    one: z.array(z.string()).max(3).nullish(),
    other: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
  });
  assert.deepEqual(unbounded(schema, "x"), ["x.one", "x.other"]);
});

Deno.test("validate() looks no further than the first wrong entry of a list", () => {
  let looks = 0;
  const wrong = {
    get role() {
      looks++;
      return 0;
    },
  };
  const messages = Array(9_000).fill(wrong);
  assert.throws(() => validate(chatRequest, { model: "m", messages }), {
    code: "invalid_value",
    param: "messages[0].role",
  });
  assert.equal(looks <= 3, true, `${looks} looks`);
  looks = 0;
  messages.push(...messages);
  assert.throws(() => validate(chatRequest, { model: "m", messages }), {
    code: "invalid_value",
    param: "messages",
    message: "Invalid value for 'messages': Too long: at most 10000 entries",
  });
  assert.equal(looks, 0);
});
