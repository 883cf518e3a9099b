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
  failureOf,
  never,
  openAiCompatible,
  readAll,
  readUntilFailure,
  TEST_KEY,
  textChunk,
  timeouts,
} from "../../../support/provider_parts.ts";
import {
  beginEvents,
  completedEvent,
  helloEvents,
  messageEvents,
  nativeCall,
  responseBody,
} from "../../../support/response_bodies.ts";

async function failingStream(reply: Reply) {
  await using upstream = await startFakeUpstream(reply);
  return await readUntilFailure(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
  );
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => event.text).join("");
}

/** Everything up to the first "Hel". */
const BEGUN = helloEvents().slice(0, 5);

for (const ending of ["an end", "a cut", "[DONE]"] as const) {
  Deno.test(`a stream is broken by ${ending} behind any event but the last`, async () => {
    const events = helloEvents();
    for (let count = 0; count < events.length; count++) {
      const steps = events.slice(0, count).map((event) => `data: ${JSON.stringify(event)}\n\n`);
      if (ending === "a cut") steps.push("cut!");
      if (ending === "[DONE]") steps.push("data: [DONE]\n\n");
      const { events: read, error } = await failingStream(rawSseReply(steps));
      assert.equal(error.failure, "broken");
      assert.match(error.message, count === 0 ? /empty stream|cut its/ : /cut its/);
      assert.equal(read.length, count);
      assert.ok(read.every((event) => !event.finished));
    }
    const whole = rawSseReply(events.map((event) => `data: ${JSON.stringify(event)}\n\n`));
    await using upstream = await startFakeUpstream(whole);
    await readAll(
      await openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
    );
  });
}

const BAD: readonly [name: string, reply: Reply, RegExp][] = [
  ["nothing but comments", rawSseReply([": hi\n\n"]), /an empty stream/],
  ["half an event", rawSseReply(['data: {"type":"respo']), /not JSON/],
  ["no JSON", sseReply(["{oops"]), /not JSON/],
  ["no object", sseReply(["[1]"]), /no object/],
  ["a chat chunk", sseReply([textChunk("Hi")]), /without a type/],
  ["an event without a type", sseReply([{ delta: "Hi" }]), /without a type/],
  [
    "an endless line",
    rawSseReply(["data: ", ...Array.from({ length: 17 }, () => "x".repeat(1024 * 1024))]),
    /an unreadable event/,
  ],
  [
    "a gzip bomb in one line",
    {
      headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
      steps: [gzipSync(new Uint8Array(20 * 1024 * 1024).fill(120))],
    },
    /an unreadable event/,
  ],
];

for (const [name, reply, message] of BAD) {
  Deno.test(`a stream of responses with ${name} is broken`, async () => {
    const { events, error } = await failingStream(reply);
    assert.equal(error.failure, "broken");
    assert.match(error.message, message);
    assert.equal(textOf(events), "");
  });
}

Deno.test("a stream of more items than any answer has is broken", async () => {
  const added = `data: {"type":"response.output_item.added","item":{"type":"vendor"}}\n\n`;
  const { error } = await failingStream(rawSseReply([added.repeat(10_001)]));
  assert.equal(error.failure, "broken");
  assert.match(error.message, /more items than any answer/);
});

function failed(error: unknown): object {
  return { type: "response.failed", response: responseBody({ status: "failed", error }) };
}

const IN_BAND: readonly [name: string, event: object, failure: AttemptFailure, words?: string][] = [
  [
    "a flat error",
    { type: "error", code: "server_error", message: "Boom", param: null },
    "broken",
    "Boom",
  ],
  [
    "a flat error without a code",
    { type: "error", code: null, message: "Boom", param: null },
    "broken",
    "Boom",
  ],
  [
    "a nested error",
    { type: "error", error: { type: "server_error", code: null, message: "Boom" } },
    "broken",
    "Boom",
  ],
  [
    "a nested and flat error",
    { type: "error", code: "x", message: "Boom", error: { code: "rate_limit_exceeded" } },
    "busy",
  ],
  [
    "a limit",
    { type: "error", code: "rate_limit_exceeded", message: "Boom", param: null },
    "busy",
    "Boom",
  ],
  [
    "a long prompt",
    { type: "error", code: "context_length_exceeded", message: "Boom", param: "input" },
    "caller",
    "Boom",
  ],
  [
    "no money",
    { type: "error", error: { code: "insufficient_quota", message: "Boom" } },
    "operator",
    "Boom",
  ],
  ["an error without a type", { error: { message: "Boom" } }, "broken", "Boom"],
  [
    "an error under another type",
    { type: "response.error", error: { message: "Boom" } },
    "broken",
    "Boom",
  ],
  ["a failure", failed({ code: "server_error", message: "Boom" }), "broken", "Boom"],
  [
    "a failure by limit",
    failed({ code: "rate_limit_exceeded", message: "Boom" }),
    "busy",
    "Boom",
  ],
  ["a bad prompt", failed({ code: "invalid_prompt", message: "Boom" }), "caller", "Boom"],
  [
    "a policy",
    failed({ code: "image_content_policy_violation", message: "Boom" }),
    "caller",
    "Boom",
  ],
  [
    "a bad image",
    failed({ code: "failed_to_download_image", message: "Boom" }),
    "caller",
    "Boom",
  ],
  ["a failure without an error", failed(null), "broken"],
  ["a failure without a response", { type: "response.failed" }, "broken"],
  [
    "an end that is a failure",
    completedEvent({ status: "failed", error: { code: "server_error", message: "Boom" } }),
    "broken",
    "Boom",
  ],
  ["an end that is none", completedEvent({ status: "in_progress" }), "broken"],
];

for (const [name, event, failure, words] of IN_BAND) {
  Deno.test(`${name} in a stream of responses is a failure, before any output and after`, async () => {
    const before = await failingStream(
      sseReply([...beginEvents(), event, ...messageEvents(["Hi"])]),
    );
    assert.equal(textOf(before.events), "");
    assert.equal(before.error.failure, failure);
    assert.equal(before.error.publicMessage, words);

    // In one read, so that what came before it is not lost.
    const together = [...BEGUN, event].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
    const after = await failingStream(rawSseReply([together]));
    assert.equal(textOf(after.events), "Hel");
    assert.equal(after.error.failure, failure);
    assert.ok(after.events.every(({ finished }) => !finished));
  });
}

Deno.test("a flat error that only the event's name calls one is a failure", async () => {
  const { error } = await failingStream(
    rawSseReply(['event: error\ndata: {"message":"Boom","code":"rate_limit_exceeded"}\n\n']),
  );
  assert.equal(error.publicMessage, "Boom");
  assert.equal(error.failure, "busy");
});

const NO_STREAMS: readonly [name: string, reply: Reply, failure: AttemptFailure, RegExp][] = [
  ["HTML", textReply("text/html", "<html>"), "broken", /text\/html where an event stream/],
  ["a plain chat", jsonReply({ choices: [] }), "broken", /in one piece is none/],
  [
    "a plain answer that has failed",
    jsonReply(responseBody({ status: "failed", error: null, output: [] })),
    "broken",
    /its status is failed/,
  ],
  ["an error in JSON", jsonReply({ error: { message: "Boom", code: 400 } }), "caller", /400$/],
  ["400", jsonReply({ error: { message: "Boom" } }, { status: 400 }), "caller", /answered 400$/],
  ["401", jsonReply({ error: { message: "Boom" } }, { status: 401 }), "doubtful", /answered 401/],
  ["429", jsonReply({ error: { message: "Boom" } }, { status: 429 }), "busy", /answered 429/],
  ["500", textReply("text/html", "<html>", { status: 500 }), "broken", /answered 500/],
  [
    "a 404 about an item",
    jsonReply({ error: { message: "Boom", param: "input" } }, { status: 404 }),
    "caller",
    /answered 404$/,
  ],
];

for (const [name, reply, failure, message] of NO_STREAMS) {
  Deno.test(`respondStream() rejects when the upstream answers with ${name}`, async () => {
    await using upstream = await startFakeUpstream(reply);
    const error = await failureOf(
      openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
    );
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
  });
}

Deno.test("a stream of responses ends at its limits: first event, pause, total", async () => {
  const busy = BEGUN.concat(
    Array.from({ length: 200 }, () => [BEGUN.at(-1)!, { pauseMs: 5 }]).flat(),
  );
  const cases: readonly [Reply, Parameters<typeof timeouts>[0], RegExp][] = [
    [rawSseReply([": keepalive\n\n", "stall!"]), { firstByteMs: 40 }, /more within \d+ ms/],
    [sseReply([...BEGUN, "stall!"]), { idleMs: 30 }, /more within 30 ms/],
    [sseReply(busy), { totalMs: 60 }, /complete within 60 ms/],
  ];
  for (const [reply, limits, message] of cases) {
    await using upstream = await startFakeUpstream(reply);
    const provider = openAiCompatible(upstream.url, { settings: { timeouts: timeouts(limits) } });
    const { error } = await readUntilFailure(
      await provider.speaks.openai_responses.stream(nativeCall(), never()),
    );
    assert.equal(error.failure, "broken");
    assert.match(error.message, message);
    await upstream.requests[0]!.closed;
  }
});

Deno.test("cancel() and an abort close the connection of a stream of responses", async () => {
  await using upstream = await startFakeUpstream(sseReply([...BEGUN, "stall!"]));
  const provider = openAiCompatible(upstream.url);
  const cancelled = await provider.speaks.openai_responses.stream(nativeCall(), never());
  await cancelled.next();
  cancelled.cancel();
  cancelled.cancel();
  await upstream.requests[0]!.closed;

  const controller = new AbortController();
  const aborted = await provider.speaks.openai_responses.stream(nativeCall(), controller.signal);
  await aborted.next();
  const error = readUntilFailure(aborted);
  controller.abort();
  assert.equal((await error).error.failure, "aborted");
  await upstream.requests[1]!.closed;
});

Deno.test("a failure in a stream of responses closes the upstream's connection", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([...BEGUN, { type: "error", message: "Boom" }, "stall!"]),
  );
  await readUntilFailure(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
  );
  await upstream.requests[0]!.closed;
});

Deno.test("secrets and addresses are absent from errors in streams of responses", async () => {
  const message = `Key ${TEST_KEY} refused via http://10.1.2.3/admin?key=${TEST_KEY}`;
  for (
    const event of [
      { type: "error", code: TEST_KEY, message, param: TEST_KEY },
      failed({ code: TEST_KEY, message }),
      failed({ code: "invalid_prompt", message }),
    ]
  ) {
    const { error } = await failingStream(sseReply([...beginEvents(), event]));
    for (const text of [error.message, error.publicMessage, error.stack, String(error.cause)]) {
      assert.ok(!text!.includes(TEST_KEY));
      assert.ok(!text!.includes("10.1.2.3"));
    }
    assert.notEqual(error.code, TEST_KEY);
    assert.notEqual(error.param, TEST_KEY);
  }
});
