/**
 * The same questions to an upstream that has the Responses API and to one that only
 * has chat: what they get and what they answer is the same.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type * as seven from "openai7";
import { spoken, type SpokenAnswer } from "../../support/spoken_answer.ts";
import { AS_PERSON } from "./answers.ts";
import type { Scenario } from "../openai_sdk/scene.ts";
import {
  asSent,
  assertResponse,
  BOTH_KINDS,
  collect,
  HELLO,
  lastResponse,
  type Response,
  type StreamEvent,
  WEATHER,
} from "./scene.ts";

type Question = Omit<seven.OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "stream">;

/** One question, and what the model says to it. */
interface Exchange {
  readonly name: string;
  readonly asked: Question;
  readonly said: SpokenAnswer;
  /** Types of the output items, in order. */
  readonly items: readonly string[];
  /** What the model must have been told, in whichever form. */
  readonly told?: readonly string[];
}

const TOOLS = [WEATHER, { ...WEATHER, name: "get_time" }];
const RAIN = { name: "get_weather", args: '{"city":"Oslo","days":2}' };
const TIME = { name: "get_time", args: '{"city":"Łódź 🎈","days":1}' };
const PICTURE = `data:image/png;base64,${Buffer.from("picture").toString("base64")}`;
const LETTER = `data:application/pdf;base64,${Buffer.from("letter").toString("base64")}`;

const EXCHANGES: readonly Exchange[] = [
  {
    name: "a text in pieces",
    asked: { input: HELLO, instructions: "Be brief", temperature: 0.5, max_output_tokens: 100 },
    said: { text: ["Hel", "lo ", "🎈 Łódź"] },
    items: ["message"],
    told: [HELLO, "Be brief"],
  },
  {
    name: "thoughts before a text",
    asked: { input: HELLO },
    said: { thoughts: "They greet me: I greet them.", text: ["Hello"] },
    items: ["reasoning", "message"],
  },
  {
    name: "a refusal",
    asked: { input: HELLO },
    said: { refusal: "I would rather not" },
    items: ["message"],
  },
  {
    name: "one call",
    asked: { input: HELLO, tools: TOOLS, tool_choice: "auto", parallel_tool_calls: true },
    said: { calls: [RAIN] },
    items: ["function_call"],
    told: ["get_weather", "get_time", "The weather in a city"],
  },
  {
    name: "thoughts, words and two calls",
    asked: { input: HELLO, tools: TOOLS },
    said: { thoughts: "Both, then.", text: ["Let me", " see"], calls: [RAIN, TIME] },
    items: ["reasoning", "message", "function_call", "function_call"],
  },
  {
    name: "a text that is cut",
    asked: { input: HELLO, max_output_tokens: 3 },
    said: { text: ["On and", " on"], cut: "length" },
    items: ["message"],
  },
  {
    name: "a text that is filtered",
    asked: { input: HELLO },
    said: { text: ["Once"], cut: "content_filter" },
    items: ["message"],
  },
  {
    name: "JSON in a schema, with metadata",
    asked: {
      input: HELLO,
      text: { format: AS_PERSON },
      metadata: { tenant: "blue" },
      truncation: "disabled",
    },
    said: { text: ['{"name":"Ann",', '"age":30,"tags":["a","b"]}'] },
    items: ["message"],
    told: ["person", "minItems"],
  },
  {
    name: "a conversation with a call, its output and thoughts",
    asked: {
      input: [
        { role: "developer", content: "Mind the units" },
        { role: "user", content: "Rain?" },
        { type: "reasoning", id: "rs_x", summary: [{ type: "summary_text", text: "Ask" }] },
        { type: "function_call", call_id: "call_x", name: "get_weather", arguments: RAIN.args },
        { type: "function_call_output", call_id: "call_x", output: "40 mm" },
        { role: "user", content: "In inches?" },
      ],
      tools: TOOLS,
    },
    said: { text: ["1.6 in"] },
    items: ["message"],
    told: ["Mind the units", "Rain?", "call_x", "40 mm", "In inches?"],
  },
  {
    name: "an image and a file as data",
    asked: {
      input: [{
        role: "user",
        content: [
          { type: "input_text", text: "What are these?" },
          { type: "input_image", image_url: PICTURE, detail: "low" },
          { type: "input_image", image_url: "https://example.com/cat.png", detail: "auto" },
          { type: "input_file", filename: "letter.pdf", file_data: LETTER },
        ],
      }],
    },
    said: { text: ["A picture, a cat", " and a letter"] },
    items: ["message"],
    told: [
      "What are these?",
      PICTURE,
      '"low"',
      "https://example.com/cat.png",
      "letter.pdf",
      LETTER,
    ],
  },
];

/** The same answer from both, whole and streamed. */
export const SAME_ANSWERS: readonly Scenario[] = EXCHANGES.map((exchange) => ({
  name: `either kind of upstream: ${exchange.name}`,
  async run({ client, upstream }) {
    upstream.answer(spoken(exchange.said));
    const answers: Response[] = [];
    const streams: StreamEvent[][] = [];
    for (const model of BOTH_KINDS) {
      const whole = asSent(await client.responses.create({ model, ...exchange.asked }));
      const events = await collect(
        await client.responses.create({ model, ...exchange.asked, stream: true }),
      );
      for (const answer of [whole, lastResponse(events)]) {
        assertResponse(answer, `faulty/${model}`);
        assert.deepEqual(answer.output.map(({ type }) => type), exchange.items);
      }
      answers.push(whole, lastResponse(events));
      streams.push(events);
      for (const request of upstream.requests.slice(-2)) {
        const { target, body } = request;
        assert.equal(target, model === "native" ? "/v1/responses" : "/v1/chat/completions");
        const text = JSON.stringify(JSON.parse(body));
        for (const word of exchange.told ?? []) assert.ok(text.includes(word), `${word}: ${text}`);
        assert.ok(!/tenant|"metadata"/.test(model === "plain" ? text : ""));
      }
    }
    const [first, ...others] = answers.map(comparable);
    for (const other of others) assert.deepEqual(other, first);
    const [native, plain] = streams.map(outlineOf);
    assert.deepEqual(plain, native);
  },
}));

/** What does not depend on who answered, and when. */
function comparable(response: Response): unknown {
  const { output, ...rest } = response as Response & Record<string, unknown>;
  const { id: _id, created_at, completed_at, model: _model, route: _route, ...said } = rest;
  assert.ok(completed_at === null || completed_at! >= created_at);
  return {
    ...said,
    output: output.map((item) => ({ ...item, id: `${item.id}`.replace(/_.*/, "_") })),
  };
}

/**
 * The order of each item's events, with pieces of one text as one, and what they say.
 * Items that are written in turns, as chat may write calls, may overlap.
 */
function outlineOf(events: readonly StreamEvent[]): ReadonlyMap<number, unknown> {
  const outline = new Map<number, { type: string; said: string }[]>();
  for (const event of events) {
    const index = "output_index" in event ? event.output_index : -1;
    const said = "delta" in event ? String(event.delta) : "";
    const ofItem = outline.get(index) ?? [];
    outline.set(index, ofItem);
    const last = ofItem.at(-1);
    if (said !== "" && last?.type === event.type) last.said += said;
    else ofItem.push({ type: event.type, said });
  }
  return outline;
}
