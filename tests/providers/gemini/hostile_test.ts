/**
 * Whatever an upstream of Google's dialect sends: an answer, or a failure that has a name. Nothing of it
 * is half an answer, counts nothing absurd, and breaks no caller's dialect.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { createCompletionIds } from "../../../src/dialects/base/completion_ids.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { createGemini } from "../../../src/providers/gemini/provider.ts";
import { serve, withConversions } from "../../../src/providers/serve.ts";
import type { UpstreamResponse } from "../../../src/providers/transport/contract.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  BLOCKED,
  CALL_STREAM,
  LATE_COUNTS_STREAM,
  type Response,
  responseOf,
  SIGNED_END_STREAM,
  THOUGHTS_STREAM,
} from "../../support/gemini_bodies.ts";
import { chatCall, never, providerSettings, readAll } from "../../support/provider_parts.ts";
import { SeededRandom } from "../../support/seeded_random.ts";
import { geminiRoute } from "./bench.ts";

const SEED = 20_261_122;
const ROUNDS = 400;
const STREAMS = {
  CALL_STREAM,
  SIGNED_END_STREAM,
  THOUGHTS_STREAM,
  LATE_COUNTS_STREAM,
  BLOCKED: [BLOCKED],
};
const CALLERS = ["openai_chat", "openai_responses", "anthropic_messages"] as const;

/** A provider whose upstream answers every request so. */
function provider(body: Uint8Array, type: string) {
  const clock = new FakeClock();
  const parts = { clock, ids: createCompletionIds(() => 0.5) };
  const made = createGemini(providerSettings({ kind: "gemini", baseUrl: "http://127.0.0.1:1" }), {
    clock,
    random: () => 0.5,
    secrets: () => "AIza-key-0123456789",
    transport: { request: () => Promise.resolve(answered(body, type)), close() {} },
  });
  return withConversions(made, parts);
}

function answered(body: Uint8Array, type: string): UpstreamResponse {
  let isRead = false;
  return {
    status: 200,
    header: (name) => name === "content-type" ? type : undefined,
    read() {
      if (isRead || body.length === 0) return Promise.resolve(undefined);
      isRead = true;
      return Promise.resolve(body);
    },
    text: () => Promise.resolve(new TextDecoder().decode(body)),
    close() {},
    release() {},
  };
}

const bodyOf = (caller: typeof CALLERS[number]): JsonObject =>
  caller === "openai_responses"
    ? { input: [{ role: "user", content: "Hello" }] }
    : { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

async function streamed(body: Uint8Array, caller: typeof CALLERS[number]): Promise<AnswerEvent[]> {
  const call = {
    ...chatCall({}, { route: geminiRoute() }),
    body: { stream: true, ...bodyOf(caller) },
  };
  return await readAll(
    await serve(caller).stream(provider(body, "text/event-stream"), call, never()),
  );
}

const bytesOf = (pieces: readonly unknown[]) =>
  new TextEncoder().encode(
    pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join(""),
  );

for (const [name, pieces] of Object.entries(STREAMS)) {
  Deno.test(`${name}, cut at every byte, is whole or has failed`, async () => {
    const whole = bytesOf(pieces);
    // What is after the last object's end are line ends.
    const complete = whole.length - 4;
    for (let at = 0; at < whole.length; at++) {
      const part = whole.subarray(0, at);
      if (at >= complete) {
        const events = await streamed(part, "openai_chat");
        assert.ok(events.at(-1)!.finished);
      } else {
        await assert.rejects(
          streamed(part, "openai_chat"),
          (error) => error instanceof UpstreamError && error.failure === "broken",
          `at ${at}`,
        );
      }
    }
  });
}

const ODD: readonly unknown[] = [
  null,
  -1,
  1e300,
  0.5,
  "x",
  "",
  [],
  {},
  [null],
  [[[]]],
  true,
  "STOP",
  "\u0000\ud800",
  { toString: 1 },
];

/** The same with something in it replaced by what does not belong there. */
function broken(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.12)) return random.pick(ODD);
  if (Array.isArray(value)) {
    if (value.length === 0) return random.pick(ODD);
    const at = random.integer(0, value.length - 1);
    return value.map((one, index) => index === at ? broken(random, one) : one);
  }
  const fields = Object.keys(value);
  if (fields.length === 0) return random.pick(ODD);
  const field = random.pick(fields);
  return { ...value, [field]: broken(random, (value as JsonObject)[field]) };
}

function judge(events: readonly Pick<AnswerEvent, "usage">[]): void {
  for (const { usage } of events) {
    for (const count of Object.values(usage ?? {})) {
      assert.ok(Number.isSafeInteger(count) && count >= 0, String(count));
    }
  }
}

for (const caller of CALLERS) {
  Deno.test(`streams with wrong values in them are answers or failures for ${caller}`, async () => {
    const random = new SeededRandom(SEED, `gemini ${caller}`);
    let failed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const pieces = random.pick(Object.values(STREAMS)) as readonly Response[];
      const at = random.integer(0, pieces.length - 1);
      const wrong = pieces.map((piece, index) => index === at ? broken(random, piece) : piece);
      try {
        const events = await streamed(bytesOf(wrong), caller);
        assert.ok(events.at(-1)!.finished);
        judge(events);
      } catch (error) {
        assert.ok(error instanceof UpstreamError, `${JSON.stringify(wrong)}: ${error}`);
        failed++;
      }
    }
    assert.ok(failed > 10 && failed < ROUNDS - 10, `${failed} failed`);
  });

  Deno.test(`answers with wrong values in them are answers or failures for ${caller}`, async () => {
    const random = new SeededRandom(SEED, `gemini whole ${caller}`);
    const whole = responseOf([
      { text: "Hm.", thought: true },
      { text: "Hi" },
      { functionCall: { name: "read", args: { path: ["a"] } }, thoughtSignature: "Sig" },
    ]);
    for (let round = 0; round < ROUNDS; round++) {
      const wrong = broken(random, whole);
      const bytes = new TextEncoder().encode(JSON.stringify(wrong));
      const call = { ...chatCall({}, { route: geminiRoute() }), body: bodyOf(caller) };
      try {
        const answer = await serve(caller).answer(
          provider(bytes, "application/json"),
          call,
          never(),
        );
        judge([answer]);
        JSON.stringify(answer.body);
      } catch (error) {
        assert.ok(error instanceof UpstreamError, `${JSON.stringify(wrong)}: ${error}`);
      }
    }
  });
}

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["a page", "<html>Sign in</html>", "text/html"],
  ["a list", "[1,2]", "application/json"],
  ["nothing", "", "application/json"],
  ["another stream", 'data: {"choices":[]}\n\ndata: [DONE]\n\n', "text/event-stream"],
  ["a nest", `data: ${"[".repeat(5_000)}\n\n`, "text/event-stream"],
  ["an error without a word", 'data: {"error":{}}\n\n', "text/event-stream"],
];
for (const [name, body, type] of HOSTILE) {
  Deno.test(`${name} is no stream of answers`, async () => {
    const made = provider(new TextEncoder().encode(body), type);
    const call = chatCall({ stream: true }, { route: geminiRoute() });
    const read = async () => await readAll(await serve("openai_chat").stream(made, call, never()));
    await assert.rejects(read(), (error) => error instanceof UpstreamError);
  });
}
