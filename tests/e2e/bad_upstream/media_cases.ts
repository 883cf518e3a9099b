/**
 * What upstreams that hear, draw, speak, judge, rank and embed answer wrongly, and what becomes of
 * each.
 *
 * @module
 */

import { jsonReply, rawSseReply, type Reply, textReply } from "../../support/fake_upstream.ts";
import { judgement } from "../../support/moderation_answers.ts";
import { QUESTIONS } from "./media_questions.ts";
import { CARELESS } from "./upstream_cases.ts";

/** One wrong answer to a question. */
export interface MediaCase {
  readonly question: keyof typeof QUESTIONS;
  readonly name: string;
  readonly reply: Reply;
  /**
   * `unavailable`: nothing of it can be used. `broken`: it breaks off after its beginning was
   * passed on. `paid`: it can be used, for no more than what is held.
   */
  readonly outcome: "unavailable" | "broken" | "paid";
}

type QuestionName = keyof typeof QUESTIONS;
const NAMES = Object.keys(QUESTIONS) as QuestionName[];

const MEBIBYTE = new Uint8Array(1024 ** 2).fill(0x41);
const mebibytes = (count: number): readonly Uint8Array[] => Array(count).fill(MEBIBYTE);
const sound = (steps: Reply["steps"]): Reply => ({
  headers: { "content-type": "audio/mpeg" },
  steps,
});
const json = (steps: Reply["steps"], framing?: Reply["framing"]): Reply => ({
  headers: { "content-type": "application/json" },
  steps,
  ...(framing !== undefined && { framing }),
});
const sse = (...events: readonly (object | string)[]): Reply =>
  rawSseReply(
    events.map((event) => typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`),
  );

/** Wrong whatever was asked. */
function anywhere(question: QuestionName): MediaCase[] {
  const wrong: Readonly<Record<string, Reply>> = {
    "nothing": textReply("application/json", ""),
    "a page": textReply("text/html", "<h1>nginx</h1>"),
    "an error with a status of 200": jsonReply({ error: { message: CARELESS } }),
    "an error that tells too much": jsonReply({ error: { message: CARELESS } }, { status: 500 }),
    "JSON that is no object": jsonReply(["x"]),
    "JSON that is cut": json(['{"data":[{', "cut!"]),
    "a head without end": {
      framing: "raw",
      steps: ["HTTP/1.1 200 OK\r\n", `x-long: ${"a".repeat(2_000_000)}\r\n`, "\r\n"],
      closes: true,
    },
    "a reset": { before: ["reset!"], steps: [], framing: "raw" },
  };
  return Object.entries(wrong).map(([name, reply]) => ({
    question,
    name,
    reply,
    // So it is told that nobody speaks.
    outcome: question === "srt transcription" && name === "nothing" ? "paid" : "unavailable",
  }));
}

const vtt = (...cues: readonly string[]) => `WEBVTT\n\n${cues.join("\n\n")}\n`;
const text = (body: string) => textReply("text/plain", body);
const done = { type: "image_generation.completed", b64_json: "iVBORw0K" };
const partial = { type: "image_generation.partial_image", b64_json: "iVBORw0K" };
const long = "A".repeat(100_000);

const ONES: readonly (readonly [QuestionName, string, MediaCase["outcome"], Reply])[] = [
  ["speech", "no sound", "unavailable", sound([])],
  ["speech", "a sound that is cut", "broken", sound([MEBIBYTE, "cut!"])],
  ["speech", "a sound without end", "broken", sound(mebibytes(300))],
  ["speech", "a film", "unavailable", textReply("video/mp4", "film")],
  [
    "speech as events",
    "a delta that is cut",
    "broken",
    sse(
      { type: "speech.audio.delta", audio: "AAAA" },
      "cut!",
    ),
  ],
  ["speech as events", "no delta", "unavailable", sse({ type: "speech.audio.done" })],
  ["speech as events", "no JSON", "unavailable", sse("data: AAAA\n\n")],
  ["json transcription", "no text", "unavailable", jsonReply({ text: 7 })],
  ["json transcription", "words without end", "unavailable", json(['{"text":"', ...mebibytes(40)])],
  ["json transcription", "no duration", "paid", jsonReply({ text: "Hello" })],
  ["text transcription", "no JSON", "unavailable", text("Hello")],
  ["verbose transcription", "no text", "unavailable", jsonReply({ segments: [] })],
  [
    "verbose transcription",
    "segments that are none",
    "paid",
    jsonReply({
      text: "Hello",
      segments: "none",
      duration: "2.5",
    }),
  ],
  [
    "diarized transcription",
    "segments alone",
    "unavailable",
    jsonReply({
      segments: [{ speaker: "A", text: "Hello" }],
    }),
  ],
  ["srt transcription", "a text without times", "unavailable", text("Hello")],
  ["srt transcription", "JSON", "unavailable", jsonReply({ text: "Hello" })],
  ["srt transcription", "a time that is none", "paid", text("1\n99:99:99,999 --> zz:00\nHello\n")],
  ["srt transcription", "an end before all time", "paid", text("1\n00:00 --> -1:00\nHello\n")],
  [
    "srt transcription",
    "an end after all time",
    "paid",
    text(
      "1\n00:00:00,000 --> 9999:59:59,999\nHello\n",
    ),
  ],
  ["vtt transcription", "no head", "unavailable", text("Hello")],
  ["srt transcription", "the head of the other format", "unavailable", text(vtt())],
  ["vtt transcription", "no cue", "paid", text(vtt())],
  ["vtt transcription", "a cue without its end", "paid", text(vtt("00:01.000 -->"))],
  ["vtt transcription", "a page", "unavailable", textReply("text/html", "<h1>nginx</h1>")],
  [
    "streamed transcription",
    "a cut",
    "broken",
    sse(
      { type: "transcript.text.delta", delta: "Hel" },
      "cut!",
    ),
  ],
  [
    "streamed transcription",
    "no last event",
    "broken",
    sse(
      { type: "transcript.text.delta", delta: "Hel" },
    ),
  ],
  ["translation", "no text", "unavailable", jsonReply({ duration: 2 })],
  ["images", "no image", "unavailable", jsonReply({ data: [{ revised_prompt: "x" }] })],
  [
    "images",
    "an image that is not base64",
    "unavailable",
    jsonReply({
      data: [{ b64_json: `${long} ${long}` }],
    }),
  ],
  [
    "images",
    "an image that is cut",
    "unavailable",
    json([`{"data":[{"b64_json":"${long}`, "cut!"]),
  ],
  [
    "images",
    "a body that ends within its image",
    "unavailable",
    json([
      `{"data":[{"b64_json":"${long}`,
    ], "close"),
  ],
  [
    "images",
    "more images than asked for",
    "paid",
    jsonReply({
      data: Array(50).fill({ b64_json: long }),
    }),
  ],
  [
    "images",
    "much beside its image",
    "unavailable",
    json([
      '{"padding":"',
      ...Array(100).fill(new Uint8Array(1024 ** 2).fill(0x20)),
      '","data":[{"b64_json":"AAAA"}]}',
    ]),
  ],
  ["image edits", "no image", "unavailable", jsonReply({ data: [] })],
  ["streamed images", "a cut", "broken", sse(partial, "cut!")],
  [
    "streamed images",
    "an event without its image",
    "broken",
    sse(partial, {
      type: done.type,
    }),
  ],
  [
    "streamed images",
    "an image that is not base64",
    "broken",
    sse(partial, {
      ...done,
      b64_json: `${long}<${long}`,
    }),
  ],
  ["streamed images", "no image that is done", "broken", sse(partial)],
  ["moderations", "one judgement of two", "unavailable", jsonReply(judgement(1))],
  ["moderations", "results that are none", "unavailable", jsonReply({ results: [1, 2] })],
  [
    "rerank",
    "an index beyond the documents",
    "unavailable",
    jsonReply({
      results: [{ index: 2, relevance_score: 1 }],
    }),
  ],
  [
    "rerank",
    "a negative index",
    "unavailable",
    jsonReply({
      results: [{ index: -1, relevance_score: 1 }],
    }),
  ],
  [
    "rerank",
    "an index twice",
    "unavailable",
    jsonReply({
      results: [{ index: 0, relevance_score: 1 }, { index: 0, relevance_score: 0.5 }],
    }),
  ],
  [
    "rerank",
    "a score that is none",
    "unavailable",
    jsonReply({
      results: [{ index: 0, relevance_score: "high" }, { index: 1, relevance_score: 0.5 }],
    }),
  ],
  ["completions", "no choice", "unavailable", jsonReply({ choices: [] })],
  ["completions", "a text that is none", "unavailable", jsonReply({ choices: [{ text: {} }] })],
  [
    "streamed completions",
    "a cut",
    "broken",
    sse({ choices: [{ text: "upon", index: 0 }] }, "cut!"),
  ],
  [
    "streamed completions",
    "a choice that nobody asked for",
    "unavailable",
    sse({
      choices: [{ text: "upon", index: 7 }],
    }),
  ],
  [
    "embeddings",
    "one vector of two",
    "unavailable",
    jsonReply({
      data: [{ index: 0, embedding: [1, 2] }],
    }),
  ],
  [
    "embeddings",
    "a vector of words",
    "unavailable",
    jsonReply({
      data: [{ index: 0, embedding: ["a"] }, { index: 1, embedding: ["b"] }],
    }),
  ],
  [
    "embeddings",
    "the same vector twice",
    "unavailable",
    jsonReply({
      data: [{ index: 0, embedding: [1, 2] }, { index: 0, embedding: [1, 2] }],
    }),
  ],
];

/** As JSON has them; the last is beyond all numbers. */
const ABSURD = ["-1", "1e300", '"many"', '"1e5"', "1.5", "null", "{}", "[9]", "true", "1e999"];

/** Right answers but for one count, which stands as `#`. */
const COUNTED: readonly (readonly [QuestionName, string])[] = [
  ["json transcription", '{"text":"Hello","usage":{"type":"duration","seconds":#}}'],
  ["verbose transcription", '{"text":"Hello","duration":#,"segments":[]}'],
  ["diarized transcription", '{"text":"Hello","duration":#,"segments":[]}'],
  ["translation", '{"text":"Hello","usage":{"input_tokens":#,"output_tokens":#}}'],
  ["images", '{"data":[{"b64_json":"AAAA"}],"usage":{"input_tokens":#,"output_tokens":#}}'],
  [
    "images by tokens",
    '{"data":[{"b64_json":"AAAA"}],"usage":{"input_tokens":#,"output_tokens":#,"total_tokens":#}}',
  ],
  [
    "rerank",
    '{"results":[{"index":0,"relevance_score":1}],"meta":{"billed_units":{"search_units":#}}}',
  ],
  [
    "completions",
    '{"choices":[{"text":"upon"}],"usage":{"prompt_tokens":#,"completion_tokens":#}}',
  ],
  [
    "embeddings",
    '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}],"usage":{"prompt_tokens":#}}',
  ],
];

/** All of them. */
export const MEDIA_CASES: readonly MediaCase[] = [
  ...NAMES.flatMap(anywhere),
  ...ONES.map(([question, name, outcome, reply]) => ({ question, name, outcome, reply })),
  ...COUNTED.flatMap(([question, answer]) =>
    ABSURD.map((count): MediaCase => ({
      question,
      name: `a count of ${count}`,
      outcome: "paid",
      reply: json([answer.replaceAll("#", count)], "length"),
    }))
  ),
];
