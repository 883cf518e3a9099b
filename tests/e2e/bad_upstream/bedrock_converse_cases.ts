/**
 * Upstreams of Bedrock's Converse that answer wrongly, and what their caller must get.
 *
 * @module
 */

import { exceptionFrame, frame } from "../../providers/bedrock/fixtures/frames.ts";
import { jsonReply, type Reply, sseReply, type Step } from "../../support/fake_upstream_reply.ts";
import { BOTH, CARELESS, type Case, numbered } from "./upstream_cases.ts";
import { wrongBodies } from "./wrong_bodies.ts";

const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

const whole = (usage: unknown, text = "Hi", stopReason = "end_turn") => ({
  output: { message: { role: "assistant", content: [{ text }] } },
  stopReason,
  usage,
});
const text = (text: string) =>
  frame({ contentBlockDelta: { delta: { text }, contentBlockIndex: 0 } });
const start = frame({ messageStart: { role: "assistant" } });
const hi = text("Hi");
const stop = (stopReason: string) => frame({ messageStop: { stopReason } });
const end = stop("end_turn");
const counts = (usage: unknown) => frame({ metadata: { usage } });

function frames(...steps: readonly Step[]): Reply {
  return {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    steps,
    framing: "chunked",
  };
}

/** One byte of it is another. */
function altered(bytes: Uint8Array): Uint8Array {
  const other = bytes.slice();
  other[other.length - 8]! ^= 1;
  return other;
}

/** The beginning of a frame that says of itself that it has 4 GiB. */
const ENDLESS = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);

const PLAIN: readonly Case[] = [
  ...wrongBodies({
    answer: whole,
    usage: USAGE,
    beginning: '{"output": {',
    counts: ["inputTokens", "outputTokens"],
  }),
  { name: "no message", reply: jsonReply({ usage: USAGE }), outcome: "unavailable" },
  {
    name: "content that is none",
    reply: jsonReply({ ...whole(USAGE), output: { message: { content: ["Hi"] } } }),
    outcome: "unavailable",
  },
  {
    name: "a call that is none",
    reply: jsonReply(whole(USAGE, "Hi", "malformed_tool_use")),
    outcome: "unavailable",
  },
  {
    name: "a refused key with a status of 403",
    reply: jsonReply({ message: CARELESS }, {
      status: 403,
      headers: { "x-amzn-errortype": "UnrecognizedClientException:http://10.1.2.3/x" },
    }),
    outcome: "unavailable",
  },
  { name: "frames that nobody asked for", reply: frames(start, hi, end), outcome: "unavailable" },
];

const STREAMED: readonly Case[] = [
  { name: "an answer in one piece", reply: jsonReply(whole(USAGE)), outcome: "unavailable" },
  { name: "an empty stream", reply: frames(), outcome: "unavailable" },
  {
    name: "another dialect's stream",
    reply: sseReply([{ choices: [] }, "[DONE]"]),
    outcome: "unavailable",
  },
  { name: "a frame without an end", reply: frames(ENDLESS), outcome: "unavailable" },
  { name: "an altered frame", reply: frames(start, altered(hi)), outcome: "unavailable" },
  {
    name: "an exception as its first frame",
    reply: frames(exceptionFrame("throttlingException", { message: CARELESS })),
    outcome: "unavailable",
  },
  {
    name: "an exception in the middle",
    reply: frames(start, hi, exceptionFrame("internalServerException", { message: CARELESS })),
    outcome: { cutAfter: "Hi" },
  },
  {
    name: "an altered frame in the middle",
    reply: frames(start, hi, altered(text("Ho"))),
    outcome: { cutAfter: "Hi" },
  },
  {
    name: "a call that is none in the end",
    reply: frames(start, hi, stop("malformed_tool_use")),
    outcome: { cutAfter: "Hi" },
  },
  { name: "a cut in the middle", reply: frames(start, hi, "cut!"), outcome: { cutAfter: "Hi" } },
  {
    name: "a cut within a frame",
    reply: frames(start, hi, end.subarray(0, end.length - 3)),
    outcome: { cutAfter: "Hi" },
  },
  { name: "an end without a reason", reply: frames(start, hi), outcome: { cutAfter: "Hi" } },
  {
    name: "a cut after the counts",
    reply: frames(start, hi, end, counts(USAGE), "cut!"),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "an end without counts",
    reply: frames(start, hi, end),
    outcome: { text: "Hi", usage: "estimated" },
  },
  {
    name: "usage that is absurd",
    reply: frames(start, hi, end, counts({ inputTokens: -1, outputTokens: 1e15 })),
    outcome: { text: "Hi", usage: "estimated" },
  },
];

/** All of them. */
export const BAD_CONVERSE_ANSWERS = numbered([...BOTH, ...PLAIN], [...BOTH, ...STREAMED]);
