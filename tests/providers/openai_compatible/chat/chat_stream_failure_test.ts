import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
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
  failureOf,
  never,
  openAiCompatible,
  readAll,
  readUntilFailure,
  textChunk,
  timeouts,
} from "../../../support/provider_parts.ts";

const STOP = chunk({}, { finish_reason: "stop" });

async function failingStream(reply: Reply) {
  await using upstream = await startFakeUpstream(reply);
  return await readUntilFailure(
    await openAiCompatible(upstream.url).speaks.openai_chat.stream(chatCall(), never()),
  );
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => event.text).join("");
}

const CUTS: readonly [name: string, reply: Reply, texts: string, RegExp][] = [
  ["an end without a finish reason", sseReply([textChunk("Hi")]), "Hi", /cut its stream/],
  [
    "one of two choices unfinished",
    sseReply([textChunk("Hi"), chunk({}, { index: 1, delta: { content: "Yo" } }), STOP]),
    "HiYo",
    /cut its stream/,
  ],
  [
    "a cut connection",
    rawSseReply([`data: ${JSON.stringify(textChunk("Hi"))}\n\n`, "cut!"]),
    "Hi",
    /cut its/,
  ],
  [
    "half an event",
    rawSseReply([`data: ${JSON.stringify(textChunk("Hi"))}\n\n`, 'data: {"choices":[']),
    "Hi",
    /not JSON/,
  ],
  ["nothing", rawSseReply([]), "", /an empty stream/],
  ["nothing but [DONE]", sseReply(["[DONE]"]), "", /an empty stream/],
  ["nothing but comments", rawSseReply([": hi\n\n"]), "", /an empty stream/],
  ["no JSON", sseReply([textChunk("Hi"), "{oops"]), "Hi", /not JSON/],
  ["no object", sseReply([textChunk("Hi"), "[1]"]), "Hi", /no object/],
  ["null", sseReply([textChunk("Hi"), "null"]), "Hi", /no object/],
  [
    "an endless line",
    rawSseReply(["data: ", ...Array.from({ length: 17 }, () => "x".repeat(1024 * 1024))]),
    "",
    /an unreadable event/,
  ],
  [
    "a gzip bomb in one line",
    {
      headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
      steps: [gzipSync(new Uint8Array(20 * 1024 * 1024).fill(120))],
    },
    "",
    /an unreadable event/,
  ],
];

for (const [name, reply, text, message] of CUTS) {
  Deno.test(`a stream that ends with ${name} is broken, after what came before`, async () => {
    const { events, error } = await failingStream(reply);
    assert.equal(error.failure, "broken");
    assert.match(error.message, message);
    assert.equal(textOf(events), text);
  });
}

const IN_BAND: readonly [name: string, data: string, failure: AttemptFailure][] = [
  ["an error object", '{"error":{"message":"Boom","type":"server_error","code":null}}', "broken"],
  ["an error without type and code", '{"error":{"message":"Boom"}}', "broken"],
  ["an error as text", '{"error":"Boom"}', "broken"],
  [
    "an error beside choices",
    '{"id":"1","error":{"code":502,"message":"Boom"},"choices":[{"delta":{},"finish_reason":"error"}]}',
    "broken",
  ],
  ["a rate limit", '{"error":{"message":"Boom","code":"rate_limit_exceeded"}}', "busy"],
  ["a refusal", '{"error":{"message":"Boom","code":"content_filter"}}', "caller"],
  ["vLLM's error", '{"object":"error","message":"Boom","code":400}', "caller"],
];

for (const [name, data, failure] of IN_BAND) {
  Deno.test(`${name} in a stream is a failure, before any output and after`, async () => {
    const before = await failingStream(sseReply([data, textChunk("never seen")]));
    assert.equal(before.events.length, 0);
    assert.equal(before.error.failure, failure);
    assert.equal(before.error.publicMessage, "Boom");

    const together = `data: ${JSON.stringify(textChunk("Hi"))}\n\ndata: ${data}\n\n`;
    const after = await failingStream(rawSseReply([together]));
    assert.equal(textOf(after.events), "Hi");
    assert.equal(after.error.failure, failure);
  });
}

Deno.test("a flat error under `event: error` is a failure", async () => {
  const { error } = await failingStream(
    rawSseReply(['event: error\ndata: {"message":"Boom","code":"x"}\n\n']),
  );
  assert.equal(error.publicMessage, "Boom");
});

const NO_STREAMS: readonly [name: string, reply: Reply, failure: AttemptFailure, RegExp][] = [
  ["HTML", textReply("text/html", "<html>"), "broken", /text\/html where an event stream/],
  ["an empty plain answer", jsonReply({ choices: [] }), "broken", /in one piece is none/],
  ["no content type", { steps: ["x"] }, "broken", /no content type where/],
  [
    "an error in JSON",
    jsonReply({ error: { message: "Boom", code: 400 } }),
    "caller",
    /answered 400$/,
  ],
  ["bad JSON", textReply("application/json", "{"), "broken", /not JSON/],
  ["a redirect", { status: 302, headers: { location: "/x" }, steps: [] }, "broken", /redirect/],
  ["400", jsonReply({ error: { message: "Boom" } }, { status: 400 }), "caller", /answered 400$/],
  ["500", textReply("text/html", "<html>", { status: 500 }), "broken", /answered 500/],
];

for (const [name, reply, failure, message] of NO_STREAMS) {
  Deno.test(`chatStream() rejects when the upstream answers with ${name}`, async () => {
    await using upstream = await startFakeUpstream(reply);
    const error = await failureOf(
      openAiCompatible(upstream.url).speaks.openai_chat.stream(chatCall(), never()),
    );
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
  });
}

Deno.test("a stream that does not begin ends at the first-byte limit, comments or not", async () => {
  const settings = { timeouts: timeouts({ firstByteMs: 40, idleMs: 30_000 }) };
  await using upstream = await startFakeUpstream([
    { steps: ["stall!"], framing: "raw" },
    rawSseReply([": keepalive\n\n", "stall!"]),
  ]);
  const provider = openAiCompatible(upstream.url, { settings });
  const silent = await failureOf(provider.speaks.openai_chat.stream(chatCall(), never()));
  assert.equal(silent.failure, "broken");
  assert.match(silent.message, /did not begin to answer within 40 ms/);
  await upstream.requests[0]!.closed;

  const { events, error } = await readUntilFailure(
    await provider.speaks.openai_chat.stream(chatCall(), never()),
  );
  assert.equal(events.length, 0);
  assert.equal(error.failure, "broken");
  assert.match(error.message, /did not send more within \d+ ms/);
  await upstream.requests[1]!.closed;
});

Deno.test("a stream that pauses ends at the idle limit", async () => {
  await using upstream = await startFakeUpstream(sseReply([textChunk("Hi"), "stall!"]));
  const provider = openAiCompatible(upstream.url, {
    settings: { timeouts: timeouts({ idleMs: 30 }) },
  });
  const { events, error } = await readUntilFailure(
    await provider.speaks.openai_chat.stream(chatCall(), never()),
  );
  assert.equal(textOf(events), "Hi");
  assert.match(error.message, /did not send more within 30 ms/);
  await upstream.requests[0]!.closed;
});

Deno.test("a stream ends at the total limit however busy it is", async () => {
  const busy = Array.from({ length: 200 }, () => [textChunk("Hi"), { pauseMs: 5 }]).flat();
  await using upstream = await startFakeUpstream(sseReply(busy));
  const provider = openAiCompatible(upstream.url, {
    settings: { timeouts: timeouts({ totalMs: 60 }) },
  });
  const { error } = await readUntilFailure(
    await provider.speaks.openai_chat.stream(chatCall(), never()),
  );
  assert.match(error.message, /did not complete within 60 ms/);
  await upstream.requests[0]!.closed;
});

Deno.test("a slow reader is not the upstream's idleness", async () => {
  await using upstream = await startFakeUpstream(sseReply([textChunk("Hi"), STOP, "[DONE]"]));
  const provider = openAiCompatible(upstream.url, {
    settings: { timeouts: timeouts({ idleMs: 20 }) },
  });
  const opened = await provider.speaks.openai_chat.stream(chatCall(), never());
  await opened.next();
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 60);
  await promise;
  await readAll(opened);
});

Deno.test("cancel() closes the upstream's connection at once, and may be called again", async () => {
  await using upstream = await startFakeUpstream(sseReply([textChunk("Hi"), "stall!"]));
  const opened = await openAiCompatible(upstream.url).speaks.openai_chat.stream(
    chatCall(),
    never(),
  );
  await opened.next();
  const [request] = upstream.requests;
  assert.ok(!request!.isClosed);
  opened.cancel();
  opened.cancel();
  await request!.closed;
});

Deno.test("an abort closes the upstream's connection and ends a waiting next()", async () => {
  await using upstream = await startFakeUpstream(sseReply([textChunk("Hi"), "stall!"]));
  const controller = new AbortController();
  const opened = await openAiCompatible(upstream.url).speaks.openai_chat.stream(
    chatCall(),
    controller.signal,
  );
  await opened.next();
  const waiting = failureOf(opened.next());
  controller.abort();
  assert.equal((await waiting).failure, "aborted");
  await upstream.requests[0]!.closed;
  assert.equal((await failureOf(opened.next())).failure, "aborted");
});

Deno.test("a bad event closes the upstream's connection", async () => {
  await using upstream = await startFakeUpstream(sseReply(["{oops", "stall!"]));
  await readUntilFailure(
    await openAiCompatible(upstream.url).speaks.openai_chat.stream(chatCall(), never()),
  );
  await upstream.requests[0]!.closed;
});
