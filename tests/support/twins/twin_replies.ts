/**
 * What an upstream answers in cases that twin gateways are compared in: as it should, and in every way
 * in which it should not.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { answerBody, chunk, finishChunk, usageChunk } from "../chat_bodies.ts";
import {
  jsonReply,
  rawSseReply,
  type Reply,
  sseReply,
  type Step,
  textReply,
} from "../fake_upstream.ts";
import type { SeededRandom } from "../seeded_random.ts";

const encoder = new TextEncoder();
const WORDS = [
  "Hello",
  " there",
  ", world",
  " – ",
  "日本語",
  "🙂",
  '"',
  "\\",
  "\n",
  "ß",
  " ",
] as const;
const ERROR = { error: { message: "It is broken", type: "server_error", code: "odd" } };

/** How often each is picked. */
const WEIGHTS = {
  usual: 30,
  pieces: 14,
  long: 4,
  other: 4,
  noUsage: 4,
  oddUsage: 4,
  noEnd: 5,
  errorInside: 5,
  refused: 10,
  failing: 6,
  cut: 12,
  badChunk: 5,
  stale: 4,
  interim: 4,
  gzip: 3,
  silent: 2,
  slow: 2,
  closing: 5,
  odd: 5,
} as const;

/** What it answers in turn, and what that is called. */
export function repliesFor(
  random: SeededRandom,
  isStream: boolean,
): { readonly label: string; readonly replies: readonly Reply[]; readonly isSilent: boolean } {
  const label = random.weighted(WEIGHTS);
  const first = replyOf(random, label, isStream);
  const second = random.chance(0.7)
    ? usual(random, isStream)
    : replyOf(random, "failing", isStream);
  // One that fails is asked again, and then the next route.
  const again = random.integer(1, 4);
  return {
    label,
    replies: [...Array<Reply>(again).fill(first), second],
    isSilent: label === "silent" || label === "slow" || label === "badChunk",
  };
}

function usual(random: SeededRandom, isStream: boolean): Reply {
  return isStream ? sseReply(events(random)) : jsonReply(answer(random), kept(random));
}

function replyOf(random: SeededRandom, label: keyof typeof WEIGHTS, isStream: boolean): Reply {
  switch (label) {
    case "usual":
      return usual(random, isStream);
    case "pieces":
      return inPieces(random, usual(random, isStream));
    case "long":
      return isStream
        ? sseReply([chunk({ content: "w ".repeat(40_000) }), ...events(random)])
        : jsonReply(answerBody("word ".repeat(random.integer(10_000, 40_000))));
    case "other":
      return usual(random, !isStream);
    case "noUsage":
      return isStream
        ? sseReply([...deltas(random), finishChunk(), "[DONE]"])
        : jsonReply({ ...answer(random), usage: random.pick([undefined, null]) });
    case "oddUsage":
      return oddUsage(random, isStream);
    case "noEnd":
      return isStream
        ? sseReply(random.pick([
          deltas(random),
          [...deltas(random), finishChunk()],
          [...deltas(random), usageChunk(4, 5)],
          ["[DONE]"],
          [finishChunk(), "[DONE]"],
          [],
        ]))
        : textReply("application/json", JSON.stringify(answer(random)).slice(0, -3));
    case "errorInside":
      return isStream
        ? sseReply([...(random.chance(0.5) ? deltas(random) : []), ERROR, "[DONE]"])
        : jsonReply(ERROR);
    case "refused":
      return refused(random);
    case "failing":
      return jsonReply(ERROR, { status: random.pick([500, 502, 503, 504, 529]) });
    case "cut":
      return cut(random, isStream);
    case "badChunk":
      return badChunk(random, isStream);
    case "stale":
      return { framing: "raw", before: [random.pick(["cut!", "reset!"])], steps: [] };
    case "interim":
      return interim(random, isStream);
    case "gzip":
      return textReply(
        isStream ? "text/event-stream" : "application/json",
        new Uint8Array(gzipSync(JSON.stringify(answer(random)))),
        { headers: { "content-encoding": "gzip" } },
      );
    case "silent":
      return isStream
        ? sseReply([...(random.chance(0.5) ? deltas(random) : []), "stall!"])
        : { headers: { "content-type": "application/json" }, steps: ["{", "stall!"] };
    case "slow":
      return slowly(usual(random, isStream));
    case "closing":
      return random.chance(0.5)
        ? { ...usual(random, isStream), framing: "close" }
        : { ...usual(random, isStream), closes: true };
    case "odd":
      return odd(random, isStream);
  }
}

function kept(random: SeededRandom): { headers?: Record<string, string> } {
  const headers = random.pick<Record<string, string> | undefined>([
    undefined,
    { "keep-alive": "timeout=5" },
    { "keep-alive": "timeout=0" },
    { "x-request-id": "theirs", "set-cookie": "a=b" },
    { "content-type": "application/json; charset=utf-8" },
    { "content-type": "application/problem+json" },
    { "content-type": "text/plain" },
  ]);
  return headers === undefined ? {} : { headers };
}

function text(random: SeededRandom): string {
  return Array.from({ length: random.integer(0, 12) }, () => random.pick(WORDS)).join("");
}

function answer(random: SeededRandom): Record<string, unknown> {
  const body = answerBody(text(random));
  return random.pick([
    body,
    body,
    { ...body, odd: { deep: [1, { 键: null }] }, system_fingerprint: "fp" },
    { ...body, choices: [] },
    { ...body, model: 3, id: null, created: "now" },
    {
      ...body,
      choices: [{
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{
            id: "c1",
            type: "function",
            function: { name: "f", arguments: '{"a":1}' },
          }],
        },
      }],
    },
    {
      ...body,
      choices: [{
        index: 0,
        finish_reason: "length",
        message: { role: "assistant", content: "x", reasoning_content: text(random) },
      }],
    },
  ]);
}

function deltas(random: SeededRandom): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  if (random.chance(0.6)) parts.push(chunk({ role: "assistant", content: "" }));
  if (random.chance(0.2)) parts.push(chunk({ reasoning_content: text(random) }));
  for (let left = random.integer(0, 8); left > 0; left--) {
    parts.push(chunk({ content: text(random) }));
  }
  if (random.chance(0.15)) {
    const call = { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" } };
    parts.push(
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
    );
  }
  return parts;
}

function events(random: SeededRandom): (object | string)[] {
  const parts = deltas(random);
  const counts = usageChunk(random.integer(0, 50), random.integer(0, 50));
  return random.chance(0.3)
    ? [...parts, { ...finishChunk(), usage: counts.usage }, "[DONE]"]
    : [...parts, finishChunk(random.pick(["stop", "length", "odd"])), counts, "[DONE]"];
}

function oddUsage(random: SeededRandom, isStream: boolean): Reply {
  const usage = random.pick<unknown>([
    {},
    { prompt_tokens: -1, completion_tokens: 1e300 },
    { prompt_tokens: "10", completion_tokens: 5 },
    { prompt_tokens: 10, completion_tokens: 0 },
    { prompt_tokens: 10, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
    { prompt_tokens: 10, completion_tokens: 900_000 },
    [1],
    7,
  ]);
  return isStream
    ? sseReply([...deltas(random), finishChunk(), { ...chunk({}), choices: [], usage }, "[DONE]"])
    : jsonReply({ ...answer(random), usage });
}

function refused(random: SeededRandom): Reply {
  const status = random.pick([400, 401, 402, 403, 404, 408, 413, 422, 429, 429, 302, 204]);
  const headers = random.pick<Record<string, string>>([{}, { "retry-after": "2" }, {
    "retry-after": "soon",
  }]);
  return random.pick([
    jsonReply({ error: { message: "No", type: "t", code: "c" } }, { status, headers }),
    textReply("text/html", "<h1>No</h1>", { status, headers }),
    { ...jsonReply(ERROR, { status, headers }), framing: "chunked" },
  ]);
}

function cut(random: SeededRandom, isStream: boolean): Reply {
  const how = random.pick(["cut!", "reset!"] as const);
  const whole = usual(random, isStream);
  switch (random.pick(["head", "beginning", "body", "framing"])) {
    case "head":
      return { framing: "raw", steps: ["HTTP/1.1 200 OK\r\ncontent-ty", how] };
    case "beginning":
      return { ...whole, framing: "chunked", steps: [how] };
    case "body":
      return { ...whole, steps: [...inPieces(random, whole).steps.slice(0, -1), how] };
    default:
      return {
        framing: "raw",
        steps: [
          `HTTP/1.1 200 OK\r\ncontent-type: ${
            isStream ? "text/event-stream" : "application/json"
          }\r\ntransfer-encoding: chunked\r\n\r\n`,
          random.pick(["zz\r\n", "5\r\nab", "1\r\naX\r\n", "ffffffffffffffff\r\n", "0\r\nodd\r\n"]),
          how,
        ],
      };
  }
}

/** A chunk that is none behind some that are, after which nothing comes. */
function badChunk(random: SeededRandom, isStream: boolean): Reply {
  const type = isStream ? "text/event-stream" : "application/json";
  const parts = isStream
    ? deltas(random).map((part) => `data: ${JSON.stringify(part)}\n\n`)
    : [JSON.stringify(answer(random))];
  const bytes = [
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
    ...parts.map((part) => `${encoder.encode(part).length.toString(16)}\r\n${part}\r\n`),
    random.pick(["zz\r\n", "1\r\naX\r\n", "ffffffffffffffff\r\n"]),
  ];
  return {
    framing: "raw",
    steps: [...(random.chance(0.5) ? bytes : [bytes.join("")]), "stall!"],
  };
}

function interim(random: SeededRandom, isStream: boolean): Reply {
  const before = random.pick([
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  ]);
  return { ...usual(random, isStream), before: [before] };
}

function odd(random: SeededRandom, isStream: boolean): Reply {
  if (isStream) {
    return rawSseReply(random.pick<readonly Step[]>([
      ["data: [DONE]\n\n", "data: {}\n\n"],
      [": comment\n\n", ": comment\n\n", "event: x\ndata: {}\n\n", "data: [DONE]\n\n"],
      ["data: not json\n\n"],
      ["\ufeffdata: ", JSON.stringify(chunk({ content: "a" })), "\r\n\r\n", "data: [DONE]\r\n\r\n"],
      ["data: []\n\ndata: 7\n\ndata: null\n\n"],
      [`data: ${JSON.stringify(chunk({ content: "a" }))}`],
      [`data: ${JSON.stringify(chunk({ content: "a" }))}\n\n`, "data: not json\n\n"],
      [new Uint8Array([0xff, 0xfe, 0x0a, 0x0a])],
      ["x".repeat(random.integer(1, 70_000))],
    ]));
  }
  return random.pick<Reply>([
    textReply("text/html", "<html></html>"),
    textReply("application/json", random.pick(["", "[]", "null", "7", "{", '{"a":1}{', '"a"'])),
    textReply("application/json", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
    textReply("application/json", `\ufeff${JSON.stringify(answer(random))}`),
    jsonReply(answer(random), { status: random.pick([201, 202, 206]) }),
    { steps: [JSON.stringify(answer(random))], framing: "length" },
    {
      framing: "raw",
      steps: ["HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{}", "cut!"],
    },
    { framing: "raw", steps: ["SSH-2.0-OpenSSH_9.6\r\n", "cut!"] },
    {
      framing: "raw",
      steps: [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "cut!",
      ],
    },
    {
      framing: "raw",
      steps: ["HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}{}"],
    },
  ]);
}

/** The same bytes, in other packets. */
function inPieces(random: SeededRandom, reply: Reply): Reply {
  const parts = reply.steps.map((step) => typeof step === "string" ? encoder.encode(step) : step);
  const bytes = new Uint8Array(
    parts.flatMap((part) => part instanceof Uint8Array ? [...part] : []),
  );
  const steps: Step[] = [];
  for (let from = 0; from < bytes.length;) {
    const upTo = from + random.pick([1, 7, 64, random.integer(1, 900)]);
    steps.push(bytes.subarray(from, upTo));
    from = upTo;
  }
  return { ...reply, framing: random.chance(0.7) ? "chunked" : "length", steps };
}

/** The same, with a moment between its parts. */
function slowly(reply: Reply): Reply {
  return { ...reply, steps: reply.steps.flatMap((step): Step[] => [{ pauseMs: 20 }, step]) };
}
