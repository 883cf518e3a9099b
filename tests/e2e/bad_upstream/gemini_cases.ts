/**
 * Upstreams of Google's dialect that answer wrongly, and what their caller must get.
 *
 * @module
 */

import { jsonReply, rawSseReply, sseReply } from "../../support/fake_upstream_reply.ts";
import { BOTH, CARELESS, type Case, numbered, padded } from "./upstream_cases.ts";
import { wrongBodies } from "./wrong_bodies.ts";

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

function piece(text: string, more: object = {}): Record<string, unknown> {
  return { candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }] };
}

const whole = (usageMetadata: unknown, text = "Hi") => ({
  ...piece(text, { finishReason: "STOP" }),
  usageMetadata,
});
const hi = piece("Hi");
const end = piece("", { finishReason: "STOP" });
const error = (code: number, status: string) => ({ error: { code, message: CARELESS, status } });

const PLAIN: readonly Case[] = [
  ...wrongBodies({
    answer: whole,
    usage: USAGE,
    beginning: '{"candidates": [',
    counts: ["promptTokenCount", "candidatesTokenCount"],
  }),
  { name: "no candidate", reply: jsonReply({ usageMetadata: USAGE }), outcome: "unavailable" },
  {
    name: "a candidate that says nothing",
    reply: jsonReply({ candidates: [{ index: 0 }], usageMetadata: USAGE }),
    outcome: "unavailable",
  },
  {
    name: "a call that is none",
    reply: jsonReply({
      ...piece("", { finishReason: "MALFORMED_FUNCTION_CALL" }),
      usageMetadata: USAGE,
    }),
    outcome: "unavailable",
  },
  {
    name: "an error with a status of 200",
    reply: jsonReply([error(500, "INTERNAL")]),
    outcome: "unavailable",
  },
  {
    name: "a refused key with a status of 400",
    reply: jsonReply({
      error: {
        code: 400,
        message: CARELESS,
        status: "INVALID_ARGUMENT",
        details: [{ reason: "API_KEY_INVALID" }],
      },
    }, { status: 400 }),
    outcome: "unavailable",
  },
  {
    name: "an event stream that nobody asked for",
    reply: sseReply([whole(USAGE)]),
    outcome: { text: "Hi", usage: "reported" },
  },
];

const STREAMED: readonly Case[] = [
  {
    name: "a line of 20 MB",
    reply: rawSseReply(["data: ", ...padded(hi, 20), "\n\n", `data: ${JSON.stringify(end)}\n\n`]),
    outcome: "unavailable",
  },
  {
    name: "an answer in one piece",
    reply: jsonReply(whole(USAGE)),
    outcome: { text: "Hi", usage: "reported" },
  },
  { name: "an empty stream", reply: sseReply([]), outcome: "unavailable" },
  { name: "another dialect's end alone", reply: sseReply(["[DONE]"]), outcome: "unavailable" },
  {
    name: "an error as its first event",
    reply: sseReply([error(503, "UNAVAILABLE")]),
    outcome: "unavailable",
  },
  {
    name: "a call in pieces",
    reply: sseReply([{
      candidates: [{ content: { parts: [{ functionCall: { name: "f", willContinue: true } }] } }],
    }]),
    outcome: "unavailable",
  },
  {
    name: "an error in the middle",
    reply: sseReply([hi, error(500, "INTERNAL")]),
    outcome: { cutAfter: "Hi" },
  },
  {
    name: "a call that is none in the end",
    reply: sseReply([hi, piece("", { finishReason: "MALFORMED_FUNCTION_CALL" })]),
    outcome: { cutAfter: "Hi" },
  },
  { name: "a cut in the middle", reply: sseReply([hi, "cut!"]), outcome: { cutAfter: "Hi" } },
  { name: "an end without a finish reason", reply: sseReply([hi]), outcome: { cutAfter: "Hi" } },
  {
    name: "a cut after the finish reason",
    reply: sseReply([hi, { ...end, usageMetadata: USAGE }, "cut!"]),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "counts in the first piece alone",
    reply: sseReply([{ ...hi, usageMetadata: USAGE }, end]),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "usage that is absurd",
    reply: sseReply([hi, {
      ...end,
      usageMetadata: { promptTokenCount: -1, totalTokenCount: 1e15 },
    }]),
    outcome: { text: "Hi", usage: "estimated" },
  },
];

/** All of them. */
export const BAD_GEMINI_ANSWERS = numbered([...BOTH, ...PLAIN], [...BOTH, ...STREAMED]);
