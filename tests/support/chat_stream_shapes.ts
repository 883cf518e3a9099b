/**
 * Streams as real upstreams send them: what OpenAI documents, and what others
 * make of it. One list of chunks is one network read.
 *
 * @module
 */

import type { JsonObject } from "../../src/domain/json_value.ts";
import { chunk, textChunk } from "./provider_parts.ts";

const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 6,
  total_tokens: 15,
  completion_tokens_details: { reasoning_tokens: 2, audio_tokens: 0 },
};
const END = chunk({ usage: USAGE });

/** A stream, and how its response must end. */
export interface StreamShape {
  readonly name: string;
  readonly reads: readonly (readonly JsonObject[])[];
  readonly status?: "completed" | "incomplete";
  /** Types of the output items, in order. */
  readonly items: readonly string[];
}

function delta(fields: JsonObject, finish_reason: string | null = null): JsonObject {
  return chunk({}, { delta: fields, finish_reason });
}

function stop(finish_reason = "stop"): JsonObject {
  return chunk({}, { finish_reason });
}

function call(index: number | undefined, fields: JsonObject): JsonObject {
  return delta({ tool_calls: [{ ...(index !== undefined && { index }), ...fields }] });
}

function begin(index: number | undefined, name: string, args = ""): JsonObject {
  const id = `call_${name}`;
  return call(index, { id, type: "function", function: { name, arguments: args } });
}

function more(index: number | undefined, args: string): JsonObject {
  return call(index, { function: { arguments: args } });
}

/** Every shape that is known. */
export const STREAM_SHAPES: readonly StreamShape[] = [
  {
    name: "OpenAI: text with usage at the end",
    reads: [
      [delta({ role: "assistant", content: "", refusal: null })],
      [textChunk("Hel"), textChunk("lo")],
      [textChunk(", wörld 🎈")],
      [stop(), END],
    ],
    items: ["message"],
  },
  {
    name: "everything in one read",
    reads: [[textChunk("Hello"), stop(), END]],
    items: ["message"],
  },
  {
    name: "finish_reason on the chunk with the last text, content empty elsewhere",
    reads: [[delta({ content: "" })], [textChunk("Hi")], [textChunk("!", "stop")]],
    items: ["message"],
  },
  {
    name: "no finish_reason at all before [DONE]",
    reads: [[textChunk("Hi")]],
    items: ["message"],
  },
  {
    name: "cut at the output limit",
    reads: [[textChunk("Hi")], [stop("length")], [END]],
    status: "incomplete",
    items: ["message"],
  },
  {
    name: "cut by a content filter before any text",
    reads: [[delta({ role: "assistant", content: "" })], [stop("content_filter")]],
    status: "incomplete",
    items: [],
  },
  {
    name: "cut while thinking",
    reads: [[delta({ reasoning_content: "Hm" })], [stop("length")]],
    status: "incomplete",
    items: ["reasoning"],
  },
  {
    name: "Azure: first chunk without choices, id and model",
    reads: [
      [{ ...chunk({ prompt_filter_results: [] }), id: "", model: "", created: 0 }],
      [textChunk("Hi")],
      [stop()],
      [END],
    ],
    items: ["message"],
  },
  {
    name: "OpenAI: log probabilities",
    reads: [
      [chunk({}, {
        delta: { content: "Hi" },
        logprobs: {
          content: [{
            token: "Hi",
            logprob: -0.5,
            bytes: [72, 105],
            top_logprobs: [{ token: "Ho", logprob: -1, bytes: null }],
          }],
          refusal: null,
        },
      })],
      [stop()],
    ],
    items: ["message"],
  },
  {
    name: "OpenAI: a refusal",
    reads: [[delta({ refusal: "I can" })], [delta({ refusal: "not" })], [stop(), END]],
    items: ["message"],
  },
  {
    name: "OpenAI: text and then a refusal",
    reads: [[textChunk("Well, ")], [delta({ refusal: "no" })], [stop(), END]],
    items: ["message"],
  },
  {
    name: "OpenAI: a service tier",
    reads: [
      [chunk({ service_tier: "flex" }, { delta: { content: "Hi" } })],
      [chunk({ service_tier: "flex" }, { finish_reason: "stop" })],
    ],
    items: ["message"],
  },
  {
    name: "OpenAI: two tool calls in pieces",
    reads: [
      [begin(0, "a")],
      [more(0, '{"x":')],
      [more(0, "1}")],
      [begin(1, "b"), more(1, "{}")],
      [stop("tool_calls"), END],
    ],
    items: ["function_call", "function_call"],
  },
  {
    name: "two tool calls that are written in turns",
    reads: [
      [begin(0, "a"), begin(1, "b")],
      [more(0, '{"x":'), more(1, '{"y":')],
      [more(0, "1}"), more(1, "2}")],
      [stop("tool_calls")],
    ],
    items: ["function_call", "function_call"],
  },
  {
    name: "text before a tool call",
    reads: [[textChunk("\n\n")], [begin(0, "a", "{}")], [stop("tool_calls")]],
    items: ["message", "function_call"],
  },
  {
    name: "a tool call cut at the output limit",
    reads: [[begin(0, "a", "{}")], [begin(1, "b", '{"x')], [stop("length")]],
    status: "incomplete",
    items: ["function_call", "function_call"],
  },
  {
    name: "a tool call without arguments",
    reads: [[begin(0, "now")], [stop("tool_calls")]],
    items: ["function_call"],
  },
  {
    name: "a name that comes after the first arguments",
    reads: [
      [call(0, { id: "call_a", function: { arguments: '{"x"' } })],
      [call(0, { function: { name: "a", arguments: ":1}" } })],
      [stop("tool_calls")],
    ],
    items: ["function_call"],
  },
  {
    name: "OpenAI: a custom tool",
    reads: [
      [call(0, { id: "call_c", type: "custom", custom: { name: "sql", input: "" } })],
      [call(0, { custom: { input: "select " } })],
      [call(0, { custom: { input: "1" } })],
      [stop("tool_calls")],
    ],
    items: ["custom_tool_call"],
  },
  {
    name: "xAI: no finish_reason key, reasoning, a whole tool call at once",
    reads: [
      [{ ...chunk(), choices: [{ index: 0, delta: { reasoning_content: "Think" } }] }],
      [{
        ...chunk(),
        choices: [{
          index: 0,
          delta: {
            tool_calls: [{
              index: 0,
              id: "call_1",
              type: "function",
              function: { name: "f", arguments: '{"a":1}' },
            }],
          },
        }],
      }],
      [stop("tool_calls")],
      [chunk({
        usage: {
          prompt_tokens: 307,
          completion_tokens: 26,
          total_tokens: 560,
          completion_tokens_details: { reasoning_tokens: 227 },
        },
      })],
    ],
    items: ["reasoning", "function_call"],
  },
  {
    name: "Kimi: no index, usage inside the choice and again at the top",
    reads: [
      [begin(undefined, "a")],
      [more(undefined, "{}")],
      [begin(undefined, "b")],
      [more(undefined, '{"y":2}')],
      [chunk({}, { finish_reason: "tool_calls", usage: { ...USAGE, cached_tokens: 3 } })],
      [END],
    ],
    items: ["function_call", "function_call"],
  },
  {
    name: "Anthropic's compatible endpoint: text, a first call of index 1, no usage",
    reads: [[textChunk("Let me see")], [begin(1, "a")], [more(1, "{}")], [stop("tool_calls")]],
    items: ["message", "function_call"],
  },
  {
    name: "DeepSeek: thoughts, then text; nulls where nothing is said",
    reads: [
      [delta({ role: "assistant", content: null, reasoning_content: "" })],
      [delta({ content: null, reasoning_content: "So" }), delta({ reasoning_content: " it is" })],
      [delta({ content: "Yes", reasoning_content: null })],
      [chunk({
        usage: { ...USAGE, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 },
      }, { finish_reason: "stop" })],
    ],
    items: ["reasoning", "message"],
  },
  {
    name: "OpenRouter: thoughts under both names, with the text in the same delta",
    reads: [
      [delta({ reasoning: "Hm", reasoning_content: "Hm" })],
      [delta({ reasoning: ".", reasoning_content: ".", content: "A" })],
      [textChunk("B")],
      [stop()],
    ],
    items: ["reasoning", "message"],
  },
  {
    name: "thoughts under the newer name, the older one null or empty",
    reads: [
      [delta({ reasoning: "H", reasoning_content: null }), delta({ reasoning: "m" })],
      [textChunk("A"), stop()],
    ],
    items: ["reasoning", "message"],
  },
  {
    name: "Mistral: content in parts, tool_calls null",
    reads: [
      [delta({
        content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }],
        tool_calls: null,
      })],
      [delta({ content: [{ type: "text", text: "Yes" }], tool_calls: null })],
      [stop()],
    ],
    items: ["reasoning", "message"],
  },
  {
    name: "Groq: usage on the finishing chunk, copied under x_groq",
    reads: [
      [textChunk("Hi")],
      [chunk({ usage: { ...USAGE, queue_time: 0.1 }, x_groq: { usage: USAGE } }, {
        finish_reason: "stop",
      })],
    ],
    items: ["message"],
  },
  {
    name: "Groq: no choices, nothing but usage",
    reads: [[chunk({ usage: USAGE })]],
    items: [],
  },
  {
    name: "Gemini and vLLM: usage on every chunk, empty tool_calls",
    reads: [
      [chunk({ usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } }, {
        delta: { content: "H", tool_calls: [] },
      })],
      [chunk({ usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }, {
        delta: { content: "i", tool_calls: [] },
        finish_reason: "stop",
      })],
    ],
    items: ["message"],
  },
  {
    name: "a second choice that nobody asked for",
    reads: [
      [textChunk("A")],
      [chunk({}, { index: 1, delta: { content: "B" } })],
      [stop()],
      [chunk({}, { index: 1, finish_reason: "length" })],
    ],
    items: ["message"],
  },
];
