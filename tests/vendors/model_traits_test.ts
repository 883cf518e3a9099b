/**
 * What the program knows of models by their names: words that a catalogue takes, for every dialect whose
 * models differ.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SUPPORTS } from "../../src/catalog/spelled_fields.ts";
import { supportsSchema } from "../../src/catalog/route_schema.ts";
import { knownTraits, namedTraits } from "../../src/vendors/model_traits.ts";
import rows from "../../src/vendors/model_traits.json" with { type: "json" };

Deno.test("every row is what a route may say, and is read as a route's is", () => {
  for (const { dialect, pattern, supports, source, date } of rows) {
    const read = supportsSchema.safeParse(supports);
    assert.ok(read.success, `${dialect} ${pattern}: ${read.error?.message}`);
    assert.match(date, /^20\d\d-\d\d-\d\d$/);
    assert.notEqual(source, "");
  }
  const { max_output_tokens: _, ...told } = namedTraits("anthropic_messages", "claude-opus-5-5")!
    ? rows[0]!.supports as Record<string, unknown>
    : {};
  const { maxOutputTokens: _most, ...known } = knownTraits("anthropic_messages", "claude-opus-5-5");
  assert.deepEqual(SUPPORTS.read(told), known);
});

Deno.test("every dialect has a row for models that nobody knows, and it is the last", () => {
  for (const [dialect, known] of Map.groupBy(rows, ({ dialect }) => dialect)) {
    assert.equal(known.findIndex(({ pattern }) => pattern === ""), known.length - 1, dialect);
    assert.equal(namedTraits(dialect, "nobody-knows-1"), undefined);
  }
});

Deno.test("routes are not told how long answers are: that would refuse requests", () => {
  assert.equal(namedTraits("anthropic_messages", "claude-3-haiku")!.max_output_tokens, undefined);
  assert.equal(knownTraits("anthropic_messages", "claude-opus-4-1").maxOutputTokens, 32_000);
});
