/**
 * What counts that stand inside each other are as buckets.
 *
 * @module
 */

import assert from "node:assert/strict";
import { workOfTokens } from "../../src/domain/work.ts";

Deno.test("workOfTokens() takes out of a total its parts alone", () => {
  const totals = { promptTokens: 5, completionTokens: 4 };
  assert.deepEqual(workOfTokens(totals, { inputAudio: 2 }), { input: 3, output: 4, inputAudio: 2 });
  // What is no part of either is no tokens: a search, a second, a character.
  assert.deepEqual(workOfTokens(totals, { second: 3, image: 1 }), { input: 5, output: 4 });
});
