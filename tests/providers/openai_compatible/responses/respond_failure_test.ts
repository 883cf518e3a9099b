import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { AttemptFailure } from "../../../../src/domain/upstream_error.ts";
import {
  jsonReply,
  type Reply,
  type Script,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../../../support/fake_upstream.ts";
import {
  completion,
  failureOf,
  never,
  openAiCompatible,
  TEST_KEY,
  timeouts,
} from "../../../support/provider_parts.ts";
import { helloEvents, nativeCall, responseBody } from "../../../support/response_bodies.ts";

async function failing(script: Script, call = nativeCall()) {
  await using upstream = await startFakeUpstream(script);
  const error = await failureOf(
    openAiCompatible(upstream.url).speaks.openai_responses.answer(call, never()),
  );
  return { error, requests: upstream.requests };
}

function failed(error: unknown, status = "failed"): Reply {
  return jsonReply(responseBody({ status, error, output: [] }));
}

const ANSWERS: readonly [name: string, reply: Reply, failure: AttemptFailure, RegExp][] = [
  ["HTML", textReply("text/html", "<html>"), "broken", /text\/html, not JSON/],
  ["an empty body", textReply("application/json", ""), "broken", /an empty body/],
  ["a list", jsonReply([]), "broken", /no object/],
  ["a chat completion", jsonReply(completion()), "broken", /no response/],
  ["no output", jsonReply(responseBody({ output: undefined })), "broken", /no output/],
  ["output of no kind", jsonReply(responseBody({ output: ["x"] })), "broken", /no output/],
  ["an event stream that is cut", sseReply(helloEvents().slice(0, -1)), "broken", /cut its stream/],
  ["an answer not begun", failed(null, "queued"), "broken", /its status is queued/],
  ["an answer under way", failed(null, "in_progress"), "broken", /its status is in_progress/],
  ["a cancelled answer", failed(null, "cancelled"), "broken", /its status is cancelled/],
  ["a status of no kind", failed(null, "<b>"), "broken", /its status is unknown/],
  ["a failure without an error", failed(null), "broken", /its status is failed/],
  ["a failure", failed({ code: "server_error", message: "Boom" }), "broken", /an error: Boom/],
  ["a limit", failed({ code: "rate_limit_exceeded", message: "Slow" }), "busy", /error: Slow/],
  [
    "a bad prompt",
    failed({ code: "invalid_prompt", message: "No" }),
    "caller",
    /answered 400$/,
  ],
  ["a bad image", failed({ code: "image_too_large", message: "No" }), "caller", /answered 400$/],
  [
    "an unreadable image",
    failed({ code: "invalid_base64_image", message: "No" }),
    "caller",
    /answered 400$/,
  ],
  ["a policy", failed({ code: "bio_policy", message: "No" }), "caller", /answered 400$/],
  ["no money", failed({ code: "insufficient_quota", message: "Pay" }), "operator", /Pay/],
  ["an error inside a 200", jsonReply({ error: { message: "Boom" } }), "broken", /Boom/],
  ["500", jsonReply({ error: { message: "Boom" } }, { status: 500 }), "broken", /500: Boom/],
  ["401", jsonReply({ error: { message: "No" } }, { status: 401 }), "doubtful", /401/],
  ["404", jsonReply({ error: { message: "No" } }, { status: 404 }), "doubtful", /404/],
  ["429", jsonReply({ error: { message: "Slow" } }, { status: 429 }), "busy", /429/],
  ["400", jsonReply({ error: { message: "No" } }, { status: 400 }), "caller", /answered 400$/],
  ["a redirect", { status: 307, headers: { location: "/x" }, steps: [] }, "broken", /redirect/],
  [
    "a body cut short",
    { headers: { "content-type": "application/json" }, steps: ['{"output":[', "cut!"] },
    "broken",
    /cut its answer/,
  ],
  [
    "a gzip bomb",
    {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      steps: [gzipSync(new Uint8Array(70 * 1024 * 1024))],
      framing: "length",
    },
    "broken",
    /larger than 33554432 bytes/,
  ],
];

for (const [name, reply, failure, message] of ANSWERS) {
  Deno.test(`respond() survives an upstream that answers with ${name}`, async () => {
    const { error } = await failing(reply);
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
    assert.ok(!error.message.includes(TEST_KEY));
  });
}

Deno.test("respond() ends at the total limit", async () => {
  await using upstream = await startFakeUpstream({ steps: ["stall!"], framing: "raw" });
  const settings = { timeouts: timeouts({ totalMs: 40 }) };
  const provider = openAiCompatible(upstream.url, { settings });
  const error = await failureOf(provider.speaks.openai_responses.answer(nativeCall(), never()));
  assert.equal(error.failure, "broken");
  assert.match(error.message, /within 40 ms/);
  await upstream.requests[0]!.closed;
});

Deno.test("respond() ends when the caller leaves", async () => {
  await using upstream = await startFakeUpstream({ steps: ["stall!"], framing: "raw" });
  const controller = new AbortController();
  const answer = failureOf(
    openAiCompatible(upstream.url).speaks.openai_responses.answer(nativeCall(), controller.signal),
  );
  const request = await upstream.received(0);
  controller.abort();
  assert.equal((await answer).failure, "aborted");
  await request.closed;
});

Deno.test("respond() takes a 404 about a part of the request for the caller's fault", async () => {
  const message = "Item with id 'rs_1' not found.";
  const { error } = await failing(
    jsonReply({ error: { message, param: "input", code: null } }, { status: 404 }),
  );
  assert.equal(error.failure, "caller");
  assert.equal(error.status, 400);
  assert.equal(error.param, "input");
  assert.equal(error.publicMessage, message);
  assert.ok(!error.message.includes(message));

  const model = { message: "No such model", param: "model", code: "model_not_found" };
  const operator = await failing(jsonReply({ error: model }, { status: 404 }));
  assert.equal(operator.error.failure, "operator");
});

const SEALED = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const QUESTION = { type: "message", role: "user", content: "Hello" };
const UNREADABLE = "The encrypted content gAAA...AA== could not be verified.";

for (const code of ["invalid_encrypted_content", null]) {
  Deno.test(`reasoning that another account sealed is left out at the second try (code ${code})`, async () => {
    await using upstream = await startFakeUpstream([
      jsonReply({ error: { message: UNREADABLE, code, param: null } }, { status: 400 }),
      jsonReply(responseBody()),
    ]);
    const call = nativeCall({ input: [SEALED, QUESTION] });
    const answer = await openAiCompatible(upstream.url).speaks.openai_responses.answer(
      call,
      never(),
    );
    assert.equal(answer.text(), "Hello");
    assert.deepEqual(upstream.requests.map((request) => request.json().input), [
      [SEALED, QUESTION],
      [QUESTION],
    ]);
  });
}

Deno.test("a refusal that leaving out reasoning does not cure is not tried again", async () => {
  const refusal = (code: string) => jsonReply({ error: { message: "No", code } }, { status: 400 });
  const without = await failing(refusal("invalid_encrypted_content"));
  assert.equal(without.requests.length, 1);
  const call = nativeCall({ input: [SEALED, QUESTION] });
  const other = await failing(refusal("invalid_value"), call);
  assert.equal(other.requests.length, 1);
  const again = await failing(refusal("invalid_encrypted_content"), call);
  assert.equal(again.requests.length, 2);
  assert.equal(again.error.failure, "caller");
});

Deno.test("respond() rejects input that refers to nothing without asking the upstream", async () => {
  const call = nativeCall({ input: [{ type: "item_reference", id: "msg_1" }] });
  for (const method of ["answer", "stream"] as const) {
    await using upstream = await startFakeUpstream(jsonReply(responseBody()));
    const error = await failureOf(
      openAiCompatible(upstream.url).speaks.openai_responses[method](call, never()),
    );
    assert.equal(error.failure, "caller");
    assert.equal(upstream.requests.length, 0);
  }
});

Deno.test("secrets and addresses are absent from errors of responses", async () => {
  const words = `Key ${TEST_KEY} refused via http://10.1.2.3/admin?key=${TEST_KEY}`;
  const replies = [
    jsonReply({ error: { message: words, code: TEST_KEY, param: "input" } }, { status: 404 }),
    failed({ code: "invalid_prompt", message: words }),
    failed({ code: "server_error", message: words }),
  ];
  for (const reply of replies) {
    const { error } = await failing(reply);
    for (const text of [error.message, error.publicMessage, error.stack, String(error.cause)]) {
      assert.ok(!text!.includes(TEST_KEY));
      assert.ok(!text!.includes("10.1.2.3"));
    }
    assert.notEqual(error.code, TEST_KEY);
  }
});
