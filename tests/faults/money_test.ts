/**
 * Faults of others in what they count and charge, by their numbers in `faults.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { completionTokens, promptTokens, type Work } from "../../src/domain/work.ts";
import { answerBody, chunk, finishChunk } from "../support/chat_bodies.ts";
import {
  FULL_USAGE as GEMINI_USAGE,
  responseOf,
  TOOL_USE_USAGE,
} from "../support/gemini_bodies.ts";
import { FULL_USAGE, messageBody, messageEvents } from "../support/message_bodies.ts";
import { ask, type Caller, type Reply, stream, type Upstream, usageOf } from "./ask.ts";

const TEXT = [{ type: "text", text: "Hi" }];
const CONVERSE_USAGE = {
  inputTokens: 47,
  outputTokens: 373,
  cacheReadInputTokens: 1_000,
  cacheWriteInputTokens: 300,
  cacheDetails: [{ ttl: "5m", inputTokens: 100 }, { ttl: "1h", inputTokens: 200 }],
};
const CHAT_USAGE = {
  prompt_tokens: 1_347,
  completion_tokens: 373,
  total_tokens: 1_720,
  prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 300 },
  completion_tokens_details: { reasoning_tokens: 62 },
};
/** What each of these is, bucket by bucket; the disjoint ones add up to the whole. */
const WORK: Work = { input: 47, cachedInput: 1_000, output: 311, reasoning: 62 };

const PLAIN: Readonly<Partial<Record<Upstream, JsonObject>>> = {
  messages: messageBody(TEXT, { usage: FULL_USAGE }) as JsonObject,
  converse: {
    output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
    stopReason: "end_turn",
    usage: CONVERSE_USAGE,
  },
  chat: answerBody("Hi", CHAT_USAGE),
};
const STREAMED: Readonly<Partial<Record<Upstream, readonly JsonObject[]>>> = {
  messages: messageEvents(TEXT, { usage: FULL_USAGE }) as JsonObject[],
  converse: [
    { messageStart: { role: "assistant" } },
    { contentBlockDelta: { delta: { text: "Hi" }, contentBlockIndex: 0 } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: "end_turn" } },
    { metadata: { usage: CONVERSE_USAGE } },
  ],
  chat: [
    chunk({ role: "assistant", content: "Hi" }),
    finishChunk(),
    { ...chunk({}), choices: [], usage: CHAT_USAGE },
  ],
};
const UPSTREAMS = ["messages", "converse", "chat"] as const;
const CALLERS: readonly Caller[] = ["openai_chat", "openai_responses", "anthropic_messages"];

for (const upstream of UPSTREAMS) {
  Deno.test(`#38 #39 #43 ${upstream}: what is cached is counted once, in streams as in one piece`, async () => {
    for (const caller of CALLERS) {
      const plain = await ask({ upstream, caller, replies: [{ json: PLAIN[upstream] }] });
      const streamed = await stream({
        upstream,
        caller,
        replies: [{ events: STREAMED[upstream]! }],
      });
      const usage = plain.usage!;
      assert.deepEqual(usageOf(streamed), usage, caller);
      assert.equal(promptTokens(usage), 1_347, caller);
      assert.equal(completionTokens(usage), 373, caller);
      assert.deepEqual([usage.input, usage.cachedInput], [WORK.input, WORK.cachedInput], caller);
      for (const [bucket, count] of Object.entries(usage)) {
        assert.ok((count as number) >= 0, bucket);
      }
    }
  });
}

Deno.test("#41 #42 each caller is told every bucket that its dialect has, and none twice", async () => {
  for (const upstream of UPSTREAMS) {
    const usageIn = async (caller: Caller) => {
      const { usage } = await ask({ upstream, caller, replies: [{ json: PLAIN[upstream] }] });
      return DIALECTS[caller].usageBody(usage!) as never;
    };
    const chat = await usageIn("openai_chat") as typeof CHAT_USAGE;
    assert.deepEqual([chat.prompt_tokens, chat.completion_tokens], [1_347, 373], upstream);
    assert.equal(chat.prompt_tokens_details.cached_tokens, 1_000);
    assert.equal(chat.prompt_tokens_details.cache_write_tokens, 300);
    const message = await usageIn("anthropic_messages") as typeof FULL_USAGE;
    assert.deepEqual(
      [
        message.input_tokens,
        message.cache_read_input_tokens,
        message.cache_creation_input_tokens,
        message.output_tokens,
      ],
      [47, 1_000, 300, 373],
      upstream,
    );
    const response = await usageIn("openai_responses") as {
      input_tokens: number;
      input_tokens_details: { cached_tokens: number };
    };
    assert.deepEqual(
      [response.input_tokens, response.input_tokens_details.cached_tokens],
      [1_347, 1_000],
      upstream,
    );
  }
});

Deno.test("#44 Gemini's thoughts and what its tools read are paid for, whichever way they are told", async () => {
  const usage = async (usage: object): Promise<Work> => {
    const replies: readonly Reply[] = [{ json: responseOf([{ text: "Hi" }], { usage } as never) }];
    const { usage: work } = await ask({ upstream: "gemini", caller: "openai_chat", replies });
    return work!;
  };
  const beside = await usage(GEMINI_USAGE);
  assert.deepEqual([beside.reasoning, completionTokens(beside)], [56, 60]);
  const tools = await usage(TOOL_USE_USAGE);
  assert.equal(promptTokens(tools) + completionTokens(tools), 251);
  // Older versions have them inside.
  const inside = await usage({
    promptTokenCount: 10,
    candidatesTokenCount: 60,
    thoughtsTokenCount: 56,
    totalTokenCount: 70,
  });
  assert.deepEqual([inside.reasoning, completionTokens(inside)], [56, 60]);
});

Deno.test("#47 tokens of pictures that Gemini makes are a picture's, not a text's", async () => {
  const usage = {
    promptTokenCount: 10,
    candidatesTokenCount: 1_300,
    totalTokenCount: 1_310,
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  };
  const json = responseOf([{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }], {
    usage,
  });
  const { usage: work } = await ask({
    upstream: "gemini",
    caller: "openai_chat",
    model: "gemini-3.1-flash-image",
    replies: [{ json }],
  });
  assert.deepEqual([work!.outputImage, work!.output], [1_290, 10]);
});
