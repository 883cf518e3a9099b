/**
 * Which input items are known.
 *
 * @module
 */

import assert from "node:assert/strict";
import { faultOfInput } from "../../../src/dialects/openai_responses/input_faults.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: { readonly type?: { readonly enum?: readonly string[] } };
}

/** The words that `type` may have in a schema and those it is made of. */
function typesOf(schema: Schema): readonly string[] {
  const { $ref, anyOf = [], oneOf = [], properties } = schema;
  const target = $ref === undefined
    ? []
    : [(schemas.$defs as Record<string, unknown>)[$ref.slice("#/$defs/".length)] as Schema];
  const inside = [...target, ...anyOf, ...oneOf].flatMap(typesOf);
  return [...properties?.type?.enum ?? [], ...inside];
}

Deno.test("faultOfInput() knows every type of item that OpenAI's schema has", () => {
  const types = new Set(typesOf({ $ref: "#/$defs/InputItem" }));
  assert.ok(types.size > 20, String([...types]));
  for (const type of types) {
    assert.notDeepEqual(faultOfInput([{ type }])?.path, [0, "type"], type);
  }
});

Deno.test("faultOfInput() names an item of a type that there is not", () => {
  for (const type of ["dance", "", null, 7]) {
    const fault = faultOfInput([{ role: "user", content: "Hi" }, { type }]);
    assert.deepEqual(fault?.path, [1, "type"]);
  }
});
