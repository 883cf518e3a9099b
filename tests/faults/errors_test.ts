/**
 * Faults of others in errors and in how answers end, by their numbers in `faults.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { exceptionFrame, frame } from "../providers/bedrock/fixtures/frames.ts";
import { answerBody, chunk, finishChunk } from "../support/chat_bodies.ts";
import { responseOf } from "../support/gemini_bodies.ts";
import { messageBody, messageEvents } from "../support/message_bodies.ts";
import { ask, type Caller, stream, type Upstream } from "./ask.ts";

const CALLERS: readonly Caller[] = ["openai_chat", "openai_responses", "anthropic_messages"];
const isBroken = (error: unknown) => error instanceof UpstreamError && error.failure === "broken";

Deno.test("#49 a call that the model spoilt is no proper end, whoever asks", async () => {
  for (const word of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]) {
    for (const parts of [[], [{ text: "I will" }]]) {
      const json = responseOf(parts, { finishReason: word });
      for (const caller of CALLERS) {
        await assert.rejects(ask({ upstream: "gemini", caller, replies: [{ json }] }), isBroken);
        const events = [json as JsonObject];
        await assert.rejects(
          stream({ upstream: "gemini", caller, replies: [{ events }] }),
          isBroken,
        );
      }
    }
  }
});

/** The words for an end that callers of each dialect know. */
const KNOWN: Readonly<Record<Caller, RegExp>> = {
  openai_chat: /^(?:stop|length|tool_calls|content_filter|function_call)$/,
  openai_responses: /^(?:completed|incomplete|max_output_tokens|content_filter|in_progress)$/,
  anthropic_messages:
    /^(?:end_turn|max_tokens|stop_sequence|tool_use|pause_turn|refusal|model_context_window_exceeded)$/,
};
/** The words of each vendor, and some of nobody's. */
const WORDS: Readonly<Record<"gemini" | "converse" | "messages" | "chat", readonly string[]>> = {
  gemini: [
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "SPII",
    "OTHER",
    "CONTINUATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "IMAGE_SAFETY",
    "TOMORROW",
  ],
  converse: [
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "guardrail_intervened",
    "content_filtered",
    "model_context_window_exceeded",
    "tomorrow",
  ],
  messages: ["end_turn", "max_tokens", "stop_sequence", "refusal", "model_context_window_exceeded"],
  chat: ["stop", "length", "content_filter", "eos", "max_tokens", "MAX_TOKENS", "tomorrow"],
};

function plainOf(upstream: Upstream, word: string): object {
  switch (upstream) {
    case "gemini":
      return responseOf([{ text: "Hi" }], { finishReason: word });
    case "converse":
      return { output: { message: { content: [{ text: "Hi" }] } }, stopReason: word, usage: {} };
    case "messages":
      return messageBody([{ type: "text", text: "Hi" }], { stopReason: word });
    default: {
      const body = answerBody("Hi") as { choices: JsonObject[] };
      body.choices[0]!.finish_reason = word;
      return body;
    }
  }
}

function eventsOf(upstream: Upstream, word: string): readonly JsonObject[] {
  switch (upstream) {
    case "gemini":
      return [plainOf(upstream, word) as JsonObject];
    case "converse":
      return [
        { contentBlockDelta: { delta: { text: "Hi" }, contentBlockIndex: 0 } },
        { messageStop: { stopReason: word } },
        { metadata: { usage: {} } },
      ];
    case "messages":
      return messageEvents([{ type: "text", text: "Hi" }], { stopReason: word }) as JsonObject[];
    default:
      return [chunk({ role: "assistant", content: "Hi" }), finishChunk(word)];
  }
}

function reasonsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, one) => {
    const isReason = key === "finish_reason" || key === "stop_reason" || key === "reason";
    if (isReason && typeof one === "string") found.push(one);
    return one;
  });
  return found;
}

for (
  const [upstream, words] of Object.entries(WORDS) as [keyof typeof WORDS, readonly string[]][]
) {
  Deno.test(`#50 no word of ${upstream}'s for an end gets to callers of another dialect`, async () => {
    for (const word of words) {
      for (const caller of CALLERS) {
        const { body } = await ask({
          upstream,
          caller,
          replies: [{ json: plainOf(upstream, word) }],
        });
        const { chunks } = await stream({
          upstream,
          caller,
          replies: [{ events: eventsOf(upstream, word) }],
        });
        const reasons = [body, chunks].map(reasonsIn);
        for (const reason of reasons.flat()) {
          assert.match(reason, KNOWN[caller], `${word} for ${caller}`);
        }
      }
    }
  });
}

Deno.test("#51 an exception in a stream of Bedrock's is an error, wherever it comes", async () => {
  const text = frame({ contentBlockDelta: { delta: { text: "Hi" }, contentBlockIndex: 0 } });
  const stop = frame({ messageStop: { stopReason: "end_turn" } });
  const kinds = [
    "internalServer",
    "modelStreamError",
    "serviceUnavailable",
    "throttling",
    "validation",
  ];
  for (const kind of kinds) {
    const failed = exceptionFrame(`${kind}Exception`, { message: "No" });
    for (const frames of [[failed], [text, failed], [text, text, failed, stop]]) {
      const bytes = new Uint8Array(frames.flatMap((one) => [...one]));
      for (const caller of CALLERS) {
        await assert.rejects(
          stream({
            upstream: "converse",
            caller,
            replies: [{ bytes, type: "application/vnd.amazon.eventstream" }],
          }),
          UpstreamError,
        );
      }
    }
  }
});

Deno.test("#52 what a filter of Azure's refuses is the caller's, under a code of its own", async () => {
  const error = {
    message: "The response was filtered due to the prompt triggering the content management policy",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: {
      code: "ResponsibleAIPolicyViolation",
      content_filter_result: { jailbreak: { detected: true, filtered: true } },
    },
  };
  for (const caller of CALLERS) {
    await assert.rejects(
      ask({ upstream: "chat", caller, replies: [{ json: { error }, status: 400 }] }),
      (failed) => {
        assert.ok(failed instanceof UpstreamError);
        assert.deepEqual([failed.failure, failed.code], ["caller", "content_filter"]);
        assert.equal(failed.publicMessage, error.message);
        return true;
      },
    );
  }
});
