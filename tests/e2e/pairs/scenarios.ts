/**
 * What is asked and said in every pair of a caller's dialect and a vendor's.
 *
 * @module
 */

import type { Call, Counts, Heard, Question, Said, Tool } from "./neutral.ts";

const COUNTS: Counts = { input: 120, cached: 30, output: 17, thoughts: 0 };

const NOTHING: Said = { thoughts: "", text: "", calls: [], reason: "end", counts: COUNTS };

const READ: Tool = {
  name: "read_file",
  description: "Reads a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, lines: { type: "array", items: { type: "integer" } } },
    required: ["path"],
    additionalProperties: false,
  },
};
const LIST: Tool = {
  name: "list",
  description: "Lists all",
  parameters: { type: "object", properties: {} },
};
const CALLS: readonly Call[] = [
  { id: "toolu_0a1", name: "list", input: {} },
  { id: "toolu_0a2", name: "read_file", input: { path: 'a "b"\n€', lines: [1, 2] } },
];

const HELLO: Question = { turns: [{ by: "user", text: "Hello there" }] };

/** One question and its answer. */
export interface Scenario {
  readonly name: string;
  readonly question: Question;
  readonly said: Said;
  /** What the vendor must have heard of the question. */
  readonly heard: Partial<Heard>;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "a text",
    question: { ...HELLO, system: "Be kind", mostTokens: 300 },
    said: { ...NOTHING, text: "Hello, Wörld 🙂!" },
    heard: {
      system: "Be kind",
      texts: ["Hello there"],
      tools: [],
      images: [],
      mostTokens: 300,
      schema: undefined,
    },
  },
  {
    name: "thoughts before a text",
    question: HELLO,
    said: {
      ...NOTHING,
      thoughts: "What would they like to hear?",
      text: "Hi!",
      counts: { ...COUNTS, thoughts: 9 },
    },
    heard: { texts: ["Hello there"], effort: undefined },
  },
  {
    name: "much thought",
    question: { ...HELLO, effort: "high" },
    said: { ...NOTHING, thoughts: "Hm.", text: "Hi!", counts: { ...COUNTS, thoughts: 20 } },
    heard: { texts: ["Hello there"], effort: "high" },
  },
  {
    name: "a call without arguments",
    question: { ...HELLO, tools: [LIST, READ] },
    said: { ...NOTHING, calls: [CALLS[0]!], reason: "calls" },
    heard: { tools: [LIST, READ] },
  },
  {
    name: "a text and calls beside each other",
    question: { ...HELLO, tools: [LIST, READ] },
    said: { ...NOTHING, text: "I will look.", calls: CALLS, reason: "calls" },
    heard: { tools: [LIST, READ] },
  },
  {
    name: "results of calls",
    question: {
      tools: [LIST, READ],
      turns: [
        { by: "user", text: "Look" },
        { by: "model", text: "I will.", calls: CALLS },
        {
          by: "tools",
          results: [{ of: CALLS[0]!, text: "a, b" }, { of: CALLS[1]!, text: "it is empty" }],
        },
      ],
    },
    said: { ...NOTHING, text: "Nothing is in it." },
    heard: {
      texts: ["Look", "I will."],
      calls: CALLS.map(({ name, input }) => ({ name, input })),
      results: [{ text: "a, b" }, { text: "it is empty" }],
    },
  },
  {
    name: "an image and a document",
    question: {
      turns: [{
        by: "user",
        text: "What is in these?",
        image:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==",
        document: "JVBERi0xLjEKJSVFT0YK",
      }],
    },
    said: { ...NOTHING, text: "A dot." },
    heard: {
      texts: ["What is in these?"],
      images: [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==",
      ],
      documents: ["JVBERi0xLjEKJSVFT0YK"],
    },
  },
  {
    name: "an answer of a schema",
    question: {
      ...HELLO,
      schema: {
        type: "object",
        properties: { word: { type: "string" } },
        required: ["word"],
        additionalProperties: false,
      },
    },
    said: { ...NOTHING, text: '{"word":"hi"}' },
    heard: {
      schema: {
        type: "object",
        properties: { word: { type: "string" } },
        required: ["word"],
        additionalProperties: false,
      },
    },
  },
  {
    name: "a text that reaches its limit",
    question: { ...HELLO, mostTokens: 17 },
    said: { ...NOTHING, text: "And so on and", reason: "length" },
    heard: { mostTokens: 17 },
  },
  {
    name: "a refusal after a text",
    question: HELLO,
    said: { ...NOTHING, text: "That is", reason: "refused" },
    heard: {},
  },
];
