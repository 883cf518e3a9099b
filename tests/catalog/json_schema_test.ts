/**
 * The published JSON Schema: valid for good files, and telling every default.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { catalogueJsonSchema } from "../../src/catalog/file_schema.ts";
import { settingsJsonSchema } from "../../src/config/settings.ts";
import { EXAMPLE_FILE, FULL_FILE } from "./example_file.ts";

type Node = { readonly [key: string]: unknown };

/** Every property of a JSON Schema with its path. */
function* propertiesOf(
  schema: Node,
  path: string,
): Generator<{ path: string; node: Node; required: boolean }> {
  const required = (schema.required ?? []) as readonly string[];
  for (const [name, child] of Object.entries((schema.properties ?? {}) as Record<string, Node>)) {
    yield { path: `${path}.${name}`, node: child, required: required.includes(name) };
    yield* propertiesOf(child, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* propertiesOf(schema.items as Node, `${path}[]`);
}

Deno.test("catalogueJsonSchema() accepts what the gateway accepts, and not what it refuses", () => {
  const schema = z.fromJSONSchema(catalogueJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  for (const text of [EXAMPLE_FILE, FULL_FILE, "{}"]) {
    const result = schema.safeParse(parse(text));
    assert.ok(result.success, result.error?.message);
  }
  for (
    const text of [
      "unknown: 1",
      "currency: usd",
      "providers: [{ id: p, kind: p }]",
      EXAMPLE_FILE.replace('"0.25"', "0.25"),
      EXAMPLE_FILE.replace("env:OPENAI_API_KEY", "sk-hidden"),
    ]
  ) assert.ok(!schema.safeParse(parse(text)).success, text);
});

Deno.test("catalogueJsonSchema() describes every key, and what holds without it", () => {
  const all = [...propertiesOf(catalogueJsonSchema(), "")];
  assert.ok(all.length > 60, `${all.length} keys`);
  for (const { path, node, required } of all) {
    assert.ok(node.description, `${path} is not described`);
    const told = required || "default" in node || TOLD_IN_PARENT.test(path) ||
      /Default: |required for|without it|needs it/i.test(String(node.description));
    assert.ok(told, `${path} does not tell what holds without it: ${node.description}`);
  }
});

/** Absent means unknown (`supports`), unpriced (`cost`, `sale`) or no video: told once, above. */
const TOLD_IN_PARENT = /routes\[\]\.(supports\..*|cost.*|sale.*|free|video)$/;

Deno.test("settingsJsonSchema() describes every setting", () => {
  for (const { path, node } of propertiesOf(settingsJsonSchema(), "")) {
    assert.ok(node.description, path);
    assert.ok("default" in node || /Default: /.test(String(node.description)), path);
  }
});
