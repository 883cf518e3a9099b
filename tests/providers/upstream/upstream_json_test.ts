import assert from "node:assert/strict";
import { parseUpstreamJson } from "../../../src/providers/upstream/upstream_json.ts";

function nested(levels: number): string {
  return '{"a":['.repeat(levels / 2) + "]}".repeat(levels / 2);
}

Deno.test("parseUpstreamJson() takes 500 levels and no more, wherever they are", () => {
  for (const before of ["", '"text",', `"${"x".repeat(2_000)}",`, String.raw`"\"[\\",`]) {
    assert.ok(parseUpstreamJson(`[${before}${nested(498)}]`));
    for (const levels of [500, 1_000, 200_000]) {
      assert.throws(() => parseUpstreamJson(`[${before}${nested(levels)}]`), {
        failure: "broken",
        message: "The upstream answered with JSON nested more than 500 levels deep",
      });
    }
  }
});

Deno.test("parseUpstreamJson() counts no bracket in a text, and none that is closed", () => {
  for (const text of ["[{".repeat(2_000), String.raw`\"[[`.repeat(2_000), String.raw`\\`]) {
    assert.ok(parseUpstreamJson(`{"a":"${text}","b":"[[[["}`));
  }
  assert.ok(parseUpstreamJson(`[${Array(5_000).fill(nested(10)).join(",")}]`));
});

Deno.test("parseUpstreamJson() leaves what is no JSON to the parser", () => {
  for (const text of ["", '"'.repeat(3_001), `{"a":"${"[".repeat(3_000)}`, "]".repeat(3_000)]) {
    assert.throws(() => parseUpstreamJson(text), SyntaxError);
  }
});
