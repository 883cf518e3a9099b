/**
 * Calls during which the gateway's own code throws: nobody is charged, nothing stays
 * held, and nothing keeps the gateway from stopping.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Exchange } from "../../src/providers/contract/provider.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../../src/dialects/base/answer.ts";
import {
  keptResponses,
  type ResponsesGateway,
  startResponsesGateway,
} from "../support/responses_gateway.ts";
import { lastCall } from "../support/settled_calls.ts";
import { until } from "../support/until.ts";

const FREE = { avail: 10_00000000n, held: 0n };
const DEFECT = new TypeError("a defect at /secret/path");

function raise(): never {
  throw DEFECT;
}

/** Makes the built-in provider answer so. */
function answerWith(gateway: ResponsesGateway, methods: Partial<Exchange>): void {
  Object.assign(gateway.admin.registry.provider("builtin")!.speaks.openai_responses!, methods);
}

function wholeAnswer(changes: Partial<Answer> = {}): Answer {
  const body = { object: "response", status: "completed", output: [] };
  return { body, usage: undefined, text: () => "Hello", ...changes };
}

/** What cannot be written once. */
function unwritable(): object {
  let isWritten = false;
  return { type: "message", toJSON: () => isWritten ? {} : (isWritten = true) && raise() };
}

function event(chunk: object, changes: Partial<AnswerEvent> = {}): AnswerEvent {
  return {
    chunk: { ...chunk },
    text: "",
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
    ...changes,
  };
}

function streamOf(...reads: readonly (readonly AnswerEvent[] | (() => never))[]): AnswerStream {
  const left = [...reads];
  return {
    next() {
      const read = left.shift();
      return Promise.resolve().then(() => typeof read === "function" ? read() : read);
    },
    cancel() {},
  };
}

/** What throws, and how an answer in one piece comes by it. */
const DEFECTS: readonly (readonly [where: string, answer: () => Answer])[] = [
  ["what was written is counted", () => wholeAnswer({ text: raise })],
  [
    "the answer is put together to be kept",
    () => wholeAnswer({ body: { output: [unwritable()] } }),
  ],
];

for (const [where, answer] of DEFECTS) {
  Deno.test(`a defect while ${where} is a 500 that costs nothing`, async () => {
    await using gateway = await startResponsesGateway();
    answerWith(gateway, { answer: () => Promise.resolve(answer()) });
    const { status, body } = await gateway.api("POST", "/responses", {
      body: { model: "echo-1", input: "Hello" },
    });
    assert.deepEqual([status, body.error.code], [500, "internal_error"]);
    assert.doesNotMatch(JSON.stringify(body), /defect|secret/);
    assert.equal(gateway.running.openCalls(), 0);
    assert.deepEqual(await gateway.balance(), FREE);
    const { state, result, errorCode } = await lastCall(gateway);
    assert.deepEqual([state, result, errorCode], ["released", "upstream_failed", "internal_error"]);
    // It does not wait for a call that nobody will end.
    await gateway.stop();
    await until("the log to tell of it", () => gateway.log().includes("a defect"));
  });
}

Deno.test("a defect in a stream is told in the stream, costs nothing, and is in the log", async () => {
  const told: unknown[] = [];
  const listen = (error: ErrorEvent) => {
    error.preventDefault();
    told.push(error.error);
  };
  globalThis.addEventListener("error", listen);
  try {
    await using gateway = await startResponsesGateway();
    const response = { id: "r", object: "response", status: "in_progress", output: [] };
    const begun = [
      event({ type: "response.created", response }),
      event({ type: "response.output_text.delta", delta: "Hello" }, { text: "Hello" }),
    ];
    const completed = { type: "response.completed", response: { output: [unwritable()] } };
    for (
      const stream of [
        () => streamOf(begun, raise),
        () => streamOf(begun, [event(completed, { finished: true })]),
        // Nothing says that this is all of the answer.
        () => streamOf(begun),
      ]
    ) {
      answerWith(gateway, { stream: () => Promise.resolve(stream()) });
      const answer = await gateway.send("POST", "/responses", {
        body: { model: "echo-1", input: "Hello", stream: true },
      });
      const text = await answer.text();
      assert.match(text, /event: response.failed\n/);
      assert.match(text, /event: error\ndata: .*"code":"internal_error"/);
      assert.doesNotMatch(text, /defect|secret|response.completed/);
      await gateway.quiet();
      assert.deepEqual(await gateway.balance(), FREE);
      const { state, errorCode } = await lastCall(gateway);
      assert.deepEqual([state, errorCode], ["released", "internal_error"]);
    }
    assert.deepEqual(told.map(String), [
      String(DEFECT),
      String(DEFECT),
      "TypeError: The stream ended without its last event",
    ]);
  } finally {
    globalThis.removeEventListener("error", listen);
  }
});

Deno.test("a defect in the background leaves a failed answer, and costs nothing", async () => {
  for (const [where, answer] of DEFECTS) {
    await using gateway = await startResponsesGateway();
    answerWith(gateway, { answer: () => Promise.resolve(answer()) });
    const { id } = await gateway.respond({ model: "echo-1", input: "Hello", background: true });
    const { status, error } = await until("the answer's end", async () => {
      const { body } = await gateway.api("GET", `/responses/${id}`);
      return body.status !== "queued" && body;
    }, { everyMs: 2 });
    assert.deepEqual([status, error.code], ["failed", "server_error"], where);
    assert.doesNotMatch(JSON.stringify(error), /defect|secret/);
    assert.deepEqual(await keptResponses(gateway), [{ id, status: "failed" }]);
    assert.deepEqual(await gateway.balance(), FREE);
    await gateway.stop();
    await until(
      "the log to tell of it",
      () => /response_trouble.*a defect/.test(gateway.log()),
    );
  }
});
