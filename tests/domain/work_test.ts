/**
 * Counts by unit, and the totals that they make.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  addWork,
  completionTokens,
  namedWork,
  promptTokens,
  workOfTokens,
} from "../../src/domain/work.ts";

Deno.test("workOfTokens() makes disjoint buckets, which are never more than their totals", () => {
  const tokens = { promptTokens: 100, completionTokens: 20 };
  assert.deepEqual(workOfTokens(tokens), { input: 100, output: 20 });
  const parts = { cachedTokens: 60, cacheWriteTokens: 70, reasoningTokens: 30 };
  const cut = workOfTokens({ ...tokens, ...parts }, { inputAudio: 5, outputAudio: 5 });
  assert.deepEqual(cut, { input: 0, output: 0, cachedInput: 60, cacheWrite: 40, reasoning: 20 });
  assert.deepEqual([promptTokens(cut), completionTokens(cut)], [100, 20]);
  const media = workOfTokens(tokens, { inputAudio: 30, cacheWrite1h: 10, outputImage: 15 });
  assert.deepEqual([promptTokens(media), completionTokens(media)], [100, 20]);
  assert.deepEqual([media.input, media.output], [60, 5]);
});

Deno.test("workOfTokens() takes nothing out of the totals for what is no token", () => {
  const tokens = { promptTokens: 10, completionTokens: 5 };
  assert.deepEqual(workOfTokens(tokens, { image: 3, second: 9 }), { input: 10, output: 5 });
});

Deno.test("addWork() and namedWork() know every unit", () => {
  const sum = addWork({ input: 1, inputAudio: 2 }, { inputAudio: 3, cacheWrite1h: 4, output: 0 });
  assert.deepEqual(namedWork(sum), { input: 1, cache_write_1h: 4, input_audio: 5 });
});
