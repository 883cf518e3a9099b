/**
 * What callers get of Google's recorded answers, streams and errors.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { jsonReply, type Script } from "../../support/fake_upstream.ts";
import {
  BLOCKED,
  CALL_STREAM,
  FULL_USAGE,
  geminiReply,
  LATE_COUNTS_STREAM,
  LEVEL_REFUSED,
  RATE_LIMITED,
  type Response,
  responseOf,
  SIGNED_END_STREAM,
  THOUGHTS_STREAM,
} from "../../support/gemini_bodies.ts";
import { joinChunks } from "../../support/joined_chunks.ts";
import { failureOf } from "../../support/provider_parts.ts";
import { bench } from "./bench.ts";

async function streamed(pieces: readonly Response[]) {
  await using at = await bench({ script: geminiReply(pieces) });
  const events = await at.chatStream();
  const choice = asObject(asArray((await joined(events)).choices)[0])!;
  const counted = events.findLast(({ usage }) => usage !== undefined);
  return { events, message: asObject(choice.message)!, reason: choice.finish_reason, counted };
}

async function joined(events: readonly AnswerEvent[]): Promise<JsonObject> {
  return await joinChunks(events.map(({ chunk }) => [chunk])) as unknown as JsonObject;
}

const callsOf = ({ tool_calls }: JsonObject) => asArray(tool_calls) as JsonObject[];

Deno.test("a streamed call is one, with its signature, although its end comes later and says only STOP", async () => {
  const { message, reason, counted } = await streamed(CALL_STREAM);
  assert.equal(reason, "tool_calls");
  const [call] = callsOf(message) as [JsonObject];
  assert.match(String(call.id), /^call_/);
  assert.deepEqual(call.function, { name: "weather", arguments: '{"location":"San Francisco"}' });
  assert.deepEqual(counted?.usage, { input: 29, output: 15, reasoning: 804 });
});

Deno.test("a stream's signature on an empty text is no text", async () => {
  const { message, reason, counted } = await streamed(SIGNED_END_STREAM);
  assert.deepEqual([message.content, reason], ["4", "stop"]);
  assert.deepEqual(counted?.usage, { input: 15, output: 1, reasoning: 52 });
});

Deno.test("streamed thoughts are no text, and the last counts win", async () => {
  const { message, counted, events } = await streamed(THOUGHTS_STREAM);
  assert.equal(message.content, "hello");
  assert.match(String(message.reasoning_content), /User input/);
  assert.deepEqual(counted?.usage, { input: 6, output: 1, reasoning: 76 });
  assert.equal(events.filter(({ finished }) => finished).length, 1);
});

Deno.test("counts that come last alone are the counts, and what serves is told", async () => {
  const { message, counted } = await streamed(LATE_COUNTS_STREAM);
  assert.deepEqual(callsOf(message)[0]!.function, { name: "read_theme", arguments: "{}" });
  assert.deepEqual(counted?.usage, { input: 249, output: 58, reasoning: 183 });
  assert.deepEqual(counted?.terms, { serviceTier: "provisioned_throughput" });
});

Deno.test("a prompt that is blocked is a refusal that is paid for, plain and streamed", async () => {
  const { message, reason, counted } = await streamed([BLOCKED]);
  assert.equal(reason, "content_filter");
  assert.match(String(message.refusal), /PROHIBITED_CONTENT/);
  assert.deepEqual(counted?.usage, { input: 9, output: 0 });
  await using at = await bench({ script: jsonReply(BLOCKED) });
  const { body, usage } = await at.chat();
  assert.equal((asArray(body.choices)[0] as JsonObject).finish_reason, "content_filter");
  assert.deepEqual(usage, { input: 9, output: 0 });
  const { body: message2 } = await at.message();
  assert.equal(message2.stop_reason, "refusal");
});

Deno.test("an answer in one piece is told with its thoughts, calls and counts", async () => {
  const parts = [
    { text: "Which?", thought: true },
    { text: "Two " },
    { text: "files." },
    { functionCall: { id: "up1", name: "read", args: { path: "a" } }, thoughtSignature: "Sig1" },
    { functionCall: { id: "up2", name: "read", args: { path: "b" } } },
  ];
  await using at = await bench({ script: jsonReply(responseOf(parts, { usage: FULL_USAGE })) });
  const { body, usage, text } = await at.chat();
  const { message, finish_reason } = asArray(body.choices)[0] as JsonObject;
  assert.equal(finish_reason, "tool_calls");
  const { content, reasoning_content } = message as JsonObject;
  assert.deepEqual([content, reasoning_content], ["Two files.", "Which?"]);
  const [one, two] = callsOf(message as JsonObject) as [JsonObject, JsonObject];
  assert.deepEqual([one.id, two.id, two.extra_content], ["up1", "up2", undefined]);
  assert.deepEqual(usage, { input: 79, cachedInput: 3, output: 4, reasoning: 56 });
  assert.deepEqual(asObject(body.usage)!.prompt_tokens, 82);
  assert.equal(asObject(body.usage)!.completion_tokens, 60);
  assert.equal(text().startsWith("Which?Two files.read"), true);
});

/** The upstream's word, and the caller's. */
const REASONS: readonly (readonly [string, string])[] = [
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["SPII", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["OTHER", "stop"],
  ["A_WORD_OF_TOMORROW", "stop"],
];
for (const [word, reason] of REASONS) {
  Deno.test(`an end by ${word} is '${reason}', and the word itself goes to nobody`, async () => {
    await using at = await bench({
      script: jsonReply(responseOf([{ text: "Hi" }], { finishReason: word })),
    });
    const { body } = await at.chat();
    assert.equal((asArray(body.choices)[0] as JsonObject).finish_reason, reason);
    if (word !== "STOP") assert.ok(!JSON.stringify(body).includes(word));
  });
}

for (const word of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", "NO_IMAGE"]) {
  Deno.test(`an end by ${word} without an answer is a failed attempt, plain and streamed`, async () => {
    const empty = { candidates: [{ content: {}, finishReason: word }], usageMetadata: {} };
    await using at = await bench({ script: jsonReply(empty) });
    assert.equal((await failureOf(at.chat())).failure, "broken");
    at.upstream.answer(geminiReply([empty]));
    assert.equal((await failureOf(at.chatStream())).failure, "broken");
  });
}

for (const word of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]) {
  Deno.test(`an answer that ends by ${word} is none, although it has begun`, async () => {
    const begun = responseOf([{ text: "I will" }], { finishReason: word });
    await using at = await bench({ script: jsonReply(begun) });
    assert.equal((await failureOf(at.chat())).failure, "broken");
    at.upstream.answer(geminiReply([begun]));
    assert.equal((await failureOf(at.chatStream())).failure, "broken");
  });
}

const CUT: readonly (readonly [string, Script])[] = [
  ["before its finish reason", geminiReply(CALL_STREAM.slice(0, 1))],
  ["before anything", geminiReply([])],
  ["in an event", geminiReply([CALL_STREAM[0]!, 'data: {"candidates":[{"con'])],
  [
    "by an error in it",
    geminiReply([SIGNED_END_STREAM[0]!, {
      error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
    }]),
  ],
  [
    "by a call in pieces",
    geminiReply([{
      candidates: [{ content: { parts: [{ functionCall: { name: "f", willContinue: true } }] } }],
    }]),
  ],
  [
    "by arguments that are none",
    geminiReply([{
      candidates: [{ content: { parts: [{ functionCall: { name: "f", args: "x" } }] } }],
    }]),
  ],
];
for (const [name, script] of CUT) {
  Deno.test(`a stream that is cut ${name} has failed`, async () => {
    await using at = await bench({ script });
    const { failure } = await failureOf(at.chatStream());
    assert.equal(failure, "broken");
  });
}

const status = (code: number, word: string, message: string, details?: readonly object[]) => ({
  error: { code, message, status: word, ...(details && { details }) },
});
const reason = (
  word: string,
) => [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: word }];

/** Status, body, whose fault, what of the operator's. */
const ERRORS: readonly (readonly [number, unknown, string, string | undefined])[] = [
  [400, LEVEL_REFUSED, "caller", undefined],
  [400, [LEVEL_REFUSED], "caller", undefined],
  [
    400,
    status(
      400,
      "INVALID_ARGUMENT",
      "API key not valid. Please pass a valid API key.",
      reason("API_KEY_INVALID"),
    ),
    "operator",
    "key",
  ],
  [400, status(400, "INVALID_ARGUMENT", "Nope", reason("API_KEY_INVALID")), "operator", "key"],
  [
    400,
    status(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    "operator",
    "settings",
  ],
  [
    401,
    status(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    "operator",
    "key",
  ],
  [403, status(403, "PERMISSION_DENIED", "Off", reason("SERVICE_DISABLED")), "operator", "key"],
  [
    404,
    status(
      404,
      "NOT_FOUND",
      "models/gemini-x is not found for API version v1beta, or is not supported",
    ),
    "operator",
    "model",
  ],
  [429, RATE_LIMITED, "busy", undefined],
  [500, status(500, "INTERNAL", "An internal error has occurred."), "broken", undefined],
  [503, status(503, "UNAVAILABLE", "The model is overloaded."), "broken", undefined],
  [504, status(504, "DEADLINE_EXCEEDED", "Late"), "broken", undefined],
];
for (const [code, body, failure, fault] of ERRORS) {
  const told = JSON.stringify(body).slice(0, 90);
  Deno.test(`a ${code} of ${told} is ${failure}'s ${fault ?? ""}`, async () => {
    await using at = await bench({ script: jsonReply(body, { status: code }) });
    const error = await failureOf(at.chat());
    assert.deepEqual([error.failure, error.fault, error.status], [failure, fault, code]);
  });
}

Deno.test("a pause stands in the body, and a day's quota comes back at midnight in California", async () => {
  const clock = new FakeClock();
  await using at = await bench({ script: jsonReply(RATE_LIMITED, { status: 429 }), clock });
  const limited = await failureOf(at.chat());
  assert.deepEqual([limited.retryAfterSeconds, limited.isSpent], [34.4, false]);
  const spent = status(429, "RESOURCE_EXHAUSTED", "Quota", [
    { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] },
    { retryDelay: "7s" },
  ]);
  for (const reply of [jsonReply(spent, { status: 429 }), jsonReply(spent)]) {
    at.upstream.answer(reply);
    const error = await failureOf(at.chat());
    // The clock stands at midnight of 1 January, UTC.
    assert.deepEqual([error.failure, error.retryAfterSeconds, error.isSpent], [
      "busy",
      8 * 3_600,
      true,
    ]);
  }
});

Deno.test("probabilities are told as OpenAI tells them", async () => {
  const answer = responseOf([{ text: "Hi" }]);
  const [candidate] = answer.candidates as [JsonObject];
  candidate.logprobsResult = {
    chosenCandidates: [{ token: "Hi", tokenId: 1, logProbability: -0.1 }],
    topCandidates: [{ candidates: [{ token: "Hi", logProbability: -0.1 }] }],
  };
  await using at = await bench({ script: jsonReply(answer) });
  const { body } = await at.chat({ logprobs: true, top_logprobs: 1 });
  assert.deepEqual(at.sent().generationConfig, { responseLogprobs: true, logprobs: 1 });
  const told = { token: "Hi", logprob: -0.1, bytes: [72, 105] };
  assert.deepEqual((asArray(body.choices)[0] as JsonObject).logprobs, {
    content: [{ ...told, top_logprobs: [told] }],
  });
});

const PICTURE = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
const SHOWN = {
  type: "image_url",
  image_url: { url: "data:image/png;base64,iVBORw0KGgo=" },
  index: 0,
};
const DRAWN = {
  promptTokenCount: 9,
  candidatesTokenCount: 1_290,
  totalTokenCount: 1_299,
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
};

Deno.test("a picture stands in a chat's message as OpenRouter has it, plain and streamed", async () => {
  const parts = [{ text: "Here: " }, { ...PICTURE, thought: true }, PICTURE];
  await using at = await bench({ script: jsonReply(responseOf(parts, { usage: DRAWN })) });
  const { body, usage } = await at.chat();
  const { message, finish_reason } = asArray(body.choices)[0] as JsonObject;
  const { content, images } = message as JsonObject;
  assert.deepEqual([content, images, finish_reason], ["Here: ", [SHOWN], "stop"]);
  assert.deepEqual(usage, { input: 9, output: 0, outputImage: 1_290 });
  at.upstream.answer(geminiReply([responseOf([PICTURE], { usage: DRAWN })]));
  const events = await at.chatStream();
  const told = events.flatMap(({ chunk }) =>
    asArray(asObject((asArray(chunk.choices)[0] as JsonObject | undefined)?.delta)?.images)
  );
  assert.deepEqual(told, [SHOWN]);
  assert.ok(events.at(-1)!.finished);
});

Deno.test("where a dialect has no place for a picture, that is said", async () => {
  await using at = await bench({ script: jsonReply(responseOf([PICTURE], { usage: DRAWN })) });
  const { failure, code, publicMessage } = await failureOf(at.message());
  assert.deepEqual([failure, code], ["caller", "not_supported"]);
  assert.match(publicMessage!, /chat\/completions/);
});
