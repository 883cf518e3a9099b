import assert from "node:assert/strict";
import type { Work } from "../../../src/domain/work.ts";
import { responseUsageBody } from "../../../src/dialects/openai_responses/response_head.ts";

const USAGE: Work = { input: 55, cachedInput: 40, cacheWrite: 5, output: 20, reasoning: 30 };
const BODY = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 5 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150,
};

Deno.test("responseUsageBody() is usage in the words of the Responses API", () => {
  assert.deepEqual(responseUsageBody(USAGE), BODY);
});

Deno.test("responseUsageBody() keeps the upstream's other fields, whichever names it counts under", () => {
  const chat = {
    prompt_tokens: 1,
    prompt_tokens_details: { cached_tokens: 2, audio_tokens: 3 },
    completion_tokens: 4,
    completion_tokens_details: { reasoning_tokens: 5, image_tokens: 6 },
    total_tokens: 7,
    queue_time: 0.5,
  };
  const own = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 2, audio_tokens: 3 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 5, image_tokens: 6 },
    total_tokens: 7,
    queue_time: 0.5,
  };
  const expected = {
    ...BODY,
    input_tokens_details: { ...BODY.input_tokens_details, audio_tokens: 3 },
    output_tokens_details: { ...BODY.output_tokens_details, image_tokens: 6 },
    queue_time: 0.5,
  };
  for (const raw of [chat, own, { ...chat, ...own }]) {
    assert.deepEqual(responseUsageBody(USAGE, raw), expected);
  }
});
