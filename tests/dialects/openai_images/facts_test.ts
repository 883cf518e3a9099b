/**
 * What is held for images before they are made.
 *
 * @module
 */

import assert from "node:assert/strict";
import { imageFacts } from "../../../src/dialects/openai_images/facts.ts";
import { promptBound } from "../../../src/planning/facts_after_rules.ts";
import { chatRoute } from "../../support/provider_parts.ts";

Deno.test("the prompt is held for once with each image, as some models read it anew for each", () => {
  const about = { capability: "images", stream: false, given: 0 } as const;
  const boundOf = (n: number) => {
    const facts = imageFacts({ prompt: "A red fox", n }, about);
    return promptBound(chatRoute({ supports: { contextTokens: 30 } }), facts);
  };
  assert.deepEqual([boundOf(1), boundOf(4)], [27, 108]);
});
