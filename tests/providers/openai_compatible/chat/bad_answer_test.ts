import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { AttemptFailure } from "../../../../src/domain/upstream_error.ts";
import {
  jsonReply,
  rawSseReply,
  type Reply,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../../../support/fake_upstream.ts";
import {
  chatCall,
  chunk,
  completion,
  failureOf,
  never,
  openAiCompatible,
  TEST_KEY,
  textChunk,
} from "../../../support/provider_parts.ts";

const BOMB = gzipSync(new Uint8Array(70 * 1024 * 1024));

function manyCalls(at: number): object {
  const tool_calls = Array.from({ length: 100 }, (_, n) => ({
    index: at * 100 + n,
    function: { name: "f", arguments: "{}" },
  }));
  return chunk({}, { delta: { tool_calls } });
}

const BAD_ANSWERS: readonly [name: string, reply: Reply, failure: AttemptFailure, RegExp][] = [
  ["HTML", textReply("text/html; charset=utf-8", "<html>"), "broken", /text\/html, not JSON/],
  ["HTML with a JSON type", textReply("application/json", "<html>"), "broken", /not JSON/],
  ["an empty body", textReply("application/json", ""), "broken", /an empty body/],
  ["204", { status: 204, steps: [], framing: "close" }, "broken", /an empty body/],
  ["a list", jsonReply([]), "broken", /no object/],
  ["null", jsonReply(null), "broken", /no object/],
  ["no choices", jsonReply({ id: "1" }), "broken", /no chat completion/],
  ["choices of no kind", jsonReply({ choices: [1] }), "broken", /no chat completion/],
  ["an event stream that is cut", sseReply([textChunk("Hi")]), "broken", /cut its stream/],
  ["an event stream of nothing", sseReply(["[DONE]"]), "broken", /an empty stream/],
  [
    "an event stream with an error",
    sseReply([textChunk("Hi"), { error: { message: "Slow", code: "rate_limit_exceeded" } }]),
    "busy",
    /Slow/,
  ],
  [
    "a huge event stream",
    rawSseReply(
      Array.from(
        { length: 70 },
        () => `data: ${JSON.stringify(textChunk("x".repeat(512 * 1024)))}\n\n`,
      ),
    ),
    "broken",
    /larger than 33554432 bytes/,
  ],
  [
    "calls without end",
    rawSseReply(
      Array.from({ length: 30 }, (_, at) => `data: ${JSON.stringify(manyCalls(at))}\n\n`),
    ),
    "broken",
    /more parts/,
  ],
  [
    "a redirect",
    { status: 307, headers: { location: "http://127.0.0.1:1/stolen" }, steps: [] },
    "broken",
    /307, a redirect/,
  ],
  ["an error inside a 200", jsonReply({ error: { message: "Boom" } }), "broken", /Boom/],
  [
    "a refusal inside a 200",
    jsonReply({ error: { message: "No", code: "content_filter" } }),
    "caller",
    /answered 400$/,
  ],
  [
    "Gemini's list around an error in a 200",
    jsonReply([{ error: { message: "Quota", code: 429 } }]),
    "busy",
    /Quota/,
  ],
  [
    "a gzip bomb",
    {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      steps: [BOMB],
      framing: "length",
    },
    "broken",
    /larger than 33554432 bytes/,
  ],
  [
    "a huge body",
    {
      headers: { "content-type": "application/json" },
      steps: Array.from({ length: 70 }, () => " ".repeat(1024 * 1024)),
    },
    "broken",
    /larger than 33554432 bytes/,
  ],
  [
    "a body cut short",
    { headers: { "content-type": "application/json" }, steps: ['{"choices":[', "cut!"] },
    "broken",
    /cut its answer/,
  ],
  ["a connection closed at once", { steps: ["cut!"], framing: "raw" }, "broken", /did not answer/],
  ["no HTTP", { steps: ["hello\r\n\r\n", "cut!"], framing: "raw" }, "broken", /did not answer/],
];

for (const [name, reply, failure, message] of BAD_ANSWERS) {
  Deno.test(`chat() survives an upstream that answers with ${name}`, async () => {
    await using upstream = await startFakeUpstream(reply);
    const error = await failureOf(
      openAiCompatible(upstream.url).speaks.openai_chat.answer(chatCall(), never()),
    );
    assert.match(error.message, message);
    assert.equal(error.failure, failure);
    assert.ok(!error.message.includes(TEST_KEY));
  });
}

Deno.test("chat() closes a stream in place of an answer that begins thoughts without end", async () => {
  const thoughts = (at: number) => ({
    reasoning_details: Array.from({ length: 100 }, (_, n) => ({
      index: at * 100 + n,
      type: "reasoning.text",
      text: "Hm",
    })),
  });
  const events = Array.from({ length: 30 }, (_, at) => chunk({}, { delta: thoughts(at) }));
  const steps = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  await using upstream = await startFakeUpstream(rawSseReply([...steps, "stall!"]));
  const { speaks } = openAiCompatible(upstream.url);
  const error = await failureOf(speaks.openai_chat.answer(chatCall(), never()));
  assert.match(error.message, /more parts/);
  const soon = Promise.withResolvers<string>();
  const timer = setTimeout(soon.resolve, 5_000, "still open");
  const closed = upstream.requests[0]!.closed.then(() => "closed");
  assert.equal(await Promise.race([closed, soon.promise]), "closed");
  clearTimeout(timer);
});

Deno.test("chat() follows no redirect", async () => {
  await using target = await startFakeUpstream(jsonReply(completion()));
  await using upstream = await startFakeUpstream({
    status: 302,
    headers: { location: `${target.url}/chat/completions` },
    steps: [],
  });
  await failureOf(openAiCompatible(upstream.url).speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(target.requests.length, 0);
});

Deno.test("chat() replaces half a UTF-8 sequence and goes on", async () => {
  const json = JSON.stringify(completion());
  const bytes = new TextEncoder().encode(json.replace('"Hi"', '"H?"'));
  bytes[json.indexOf('"Hi"') + 2] = 0xc3;
  await using upstream = await startFakeUpstream(textReply("application/json", bytes));
  const answer = await openAiCompatible(upstream.url).speaks.openai_chat.answer(
    chatCall(),
    never(),
  );
  assert.equal(answer.text(), "H\ufffd");
});

Deno.test("secrets and addresses are absent from errors", async () => {
  await using upstream = await startFakeUpstream((request) =>
    jsonReply({
      error: {
        message: `Key ${TEST_KEY} refused by ${request.headers.get("host")} via ` +
          `http://10.1.2.3/admin?key=${TEST_KEY}`,
        code: TEST_KEY,
        param: "messages",
      },
    }, { status: 400 })
  );
  const error = await failureOf(
    openAiCompatible(upstream.url).speaks.openai_chat.answer(chatCall(), never()),
  );
  assert.equal(error.publicMessage, "Key [redacted] refused by [upstream] via [url]");
  assert.equal(error.param, "messages");
  for (const text of [error.message, error.publicMessage, error.stack, String(error.cause)]) {
    assert.ok(!text!.includes(TEST_KEY));
    assert.ok(!text!.includes(String(upstream.port)));
  }
  assert.notEqual(error.code, TEST_KEY);
});
