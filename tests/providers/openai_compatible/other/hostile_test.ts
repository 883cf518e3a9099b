/**
 * Whatever an upstream sends of images, sound and its words, rankings and judgements: an answer, or a
 * failure that has a name. Nothing of it is half an answer, and counts nothing absurd.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Answer, AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../../src/domain/upstream_error.ts";
import type { Exchange } from "../../../../src/providers/contract/provider.ts";
import type { OpenAiCompatible } from "../../../../src/providers/openai_compatible/provider.ts";
import type { UpstreamResponse } from "../../../../src/providers/transport/contract.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { judgement } from "../../../support/moderation_answers.ts";
import {
  chatCall,
  chatRoute,
  never,
  openAiCompatible,
  readAll,
} from "../../../support/provider_parts.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const SEED = 20_261_122;
const ROUNDS = 300;
const TOKENS = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const EVENTS = "text/event-stream";

/** An answer, and how it is asked for. */
interface Asked {
  readonly name: string;
  readonly type: string;
  readonly body: JsonObject;
  readonly by: (provider: OpenAiCompatible) => Pick<Exchange, "answer" | "stream">;
  readonly whole: object | readonly object[];
  /** A stream is asked for, whatever is answered; of so many events. */
  readonly streamedAs?: number;
}

const image = { b64_json: "iVBORw0K" };
const JSON_TYPE = "application/json";

const ASKED: readonly Asked[] = [
  {
    name: "a list of images",
    type: JSON_TYPE,
    body: { prompt: "A fox", n: 2 },
    by: ({ speaks }) => speaks.openai_images!,
    whole: { created: 1_700_000_000, data: [image, image], usage: TOKENS },
  },
  {
    name: "an image in parts",
    type: EVENTS,
    body: { prompt: "A fox", partial_images: 1 },
    by: ({ speaks }) => speaks.openai_image_edits!,
    whole: [
      { type: "image_edit.partial_image", partial_image_index: 0, ...image },
      { type: "image_edit.completed", ...image, usage: TOKENS },
    ],
  },
  {
    name: "speech in events",
    type: EVENTS,
    body: { input: "Hello", voice: "alloy", stream_format: "sse" },
    by: ({ speak }) => ({ answer: () => Promise.reject(), stream: speak! }),
    whole: [
      { type: "speech.audio.delta", audio: "AAEC" },
      { type: "speech.audio.done", usage: TOKENS },
    ],
  },
  {
    name: "a transcription",
    type: JSON_TYPE,
    body: {},
    by: ({ speaks }) => speaks.openai_transcriptions!,
    whole: { text: "Hello", usage: { type: "duration", seconds: 2 } },
  },
  {
    name: "a transcription in events",
    type: EVENTS,
    body: {},
    by: ({ speaks }) => speaks.openai_transcriptions!,
    whole: [
      { type: "transcript.text.delta", delta: "Hello" },
      { type: "transcript.text.done", text: "Hello", usage: { type: "tokens", ...TOKENS } },
    ],
  },
  {
    name: "a judgement",
    type: JSON_TYPE,
    body: { input: "Hello" },
    by: ({ speaks }) => speaks.openai_moderations!,
    whole: judgement(1),
  },
  {
    name: "a ranking",
    type: JSON_TYPE,
    body: { query: "a", documents: ["a", "b"] },
    by: ({ speaks }) => speaks.rerank!,
    whole: {
      results: [{ index: 0, relevance_score: 1 }, { index: 1, relevance_score: 0 }],
      meta: { billed_units: { search_units: 1 } },
    },
  },
  {
    name: "a list of images in place of a stream",
    type: JSON_TYPE,
    body: { prompt: "A fox", n: 2 },
    by: ({ speaks }) => speaks.openai_image_edits!,
    whole: { created: 1_700_000_000, data: [image, image], usage: TOKENS },
    streamedAs: 2,
  },
  {
    name: "a completion in place of a stream",
    type: JSON_TYPE,
    body: { prompt: "Once" },
    by: ({ speaks: { openai_completions: completions } }) => ({
      answer: (call, signal) => completions!.answer(call, signal),
      stream: (call, signal) => completions!.stream!(call, signal),
    }),
    whole: {
      choices: [{ index: 0, text: " upon", finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
    streamedAs: 1,
  },
];

/** The end that an upstream gives to what it sends: an orderly one, or a connection that breaks. */
type End = "orderly" | "broken";

function answered(body: Uint8Array, type: string, end: End): UpstreamResponse {
  let isRead = body.length === 0;
  const ended = () =>
    end === "orderly"
      ? Promise.resolve(undefined)
      : Promise.reject(new UpstreamError("broken", "The connection was reset"));
  return {
    status: 200,
    header: (name) => name === "content-type" ? type : undefined,
    read() {
      if (isRead) return ended();
      isRead = true;
      return Promise.resolve(body);
    },
    text: async () => await ended() ?? new TextDecoder().decode(body),
    close() {},
    release() {},
  };
}

function providerOf(response: UpstreamResponse): OpenAiCompatible {
  return openAiCompatible("http://127.0.0.1:1/v1", {
    clock: new FakeClock(),
    transport: { request: () => Promise.resolve(response), close() {} },
  });
}

function bytesOf({ type, whole }: Pick<Asked, "type" | "whole">): Uint8Array {
  const text = type === EVENTS
    ? (whole as readonly object[]).map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    : JSON.stringify(whole);
  return new TextEncoder().encode(text);
}

/** What is made of an answer: events, or one with the usage of it all. */
async function ask(
  { type, by, body, streamedAs }: Asked,
  bytes: Uint8Array,
  end: End = "orderly",
): Promise<readonly (AnswerEvent | Answer)[]> {
  const { answer, stream } = by(providerOf(answered(bytes, type, end)));
  const call = { ...chatCall({}, { route: chatRoute() }), body };
  return type === EVENTS || streamedAs !== undefined
    ? await readAll(await stream!(call, never()))
    : [await answer(call, never())];
}

for (const asked of ASKED) {
  Deno.test(`${asked.name}, cut at every byte, is whole or has failed`, async () => {
    const bytes = bytesOf(asked);
    // What is after the last object's end are line ends.
    const complete = asked.type === EVENTS ? bytes.length - 2 : bytes.length;
    for (let at = 0; at <= bytes.length; at++) {
      const part = bytes.subarray(0, at);
      const about = `at ${at} of ${bytes.length}`;
      if (at < complete) {
        await assert.rejects(ask(asked, part), isBroken, about);
        await assert.rejects(ask(asked, part, "broken"), isBroken, about);
      } else {
        assert.equal((await ask(asked, part)).length, partsOf(asked), about);
      }
    }
  });
}

function partsOf({ type, streamedAs }: Asked): number {
  return streamedAs ?? (type === EVENTS ? 2 : 1);
}

function isBroken(error: unknown): boolean {
  return error instanceof UpstreamError && error.failure === "broken";
}

Deno.test("images in one piece are told as the stream that was asked for, and count once", async () => {
  const asked = ASKED.find(({ streamedAs }) => streamedAs === 2)!;
  const events = await ask(asked, bytesOf(asked)) as readonly AnswerEvent[];
  const event = { type: "image_edit.completed", created_at: 1_700_000_000, ...image };
  assert.deepEqual(events.map(({ chunk }) => chunk), [event, event]);
  assert.deepEqual(events.map(({ finished }) => finished), [true, true]);
  assert.equal(events[0]!.usage, undefined);
  const { answer } = asked.by(providerOf(answered(bytesOf(asked), JSON_TYPE, "orderly")));
  const whole = await answer({ ...chatCall(), body: asked.body }, never());
  assert.deepEqual(events[1]!.usage, whole.usage);
  assert.equal(whole.usage!.imageOut, 2);
});

Deno.test("a completion in one piece is told as the stream that was asked for", async () => {
  const asked = ASKED.find(({ streamedAs }) => streamedAs === 1)!;
  const [event] = await ask(asked, bytesOf(asked)) as readonly AnswerEvent[];
  assert.equal(event!.text, " upon");
  assert.equal(event!.finished, true);
  assert.deepEqual(event!.usage, { input: 1, output: 1 });
});

Deno.test("sound that breaks off at any byte has failed, and sound that ends has not", async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
  const sound: Asked = {
    ...ASKED[2]!,
    name: "sound",
    type: "audio/mpeg",
    body: { input: "Hello", voice: "alloy" },
  };
  for (let at = 0; at <= bytes.length; at++) {
    const { stream } = sound.by(providerOf(answered(bytes.subarray(0, at), sound.type, "broken")));
    const call = { ...chatCall(), body: sound.body };
    await assert.rejects(stream!(call, never()).then(readAll), isBroken, `at ${at}`);
  }
  const { stream } = sound.by(providerOf(answered(bytes, sound.type, "orderly")));
  const events = await readAll(await stream!({ ...chatCall(), body: sound.body }, never()));
  assert.deepEqual(events.at(-1)!.usage, { character: 5 });
});

Deno.test("subtitles whose connection breaks have failed, and those that end are told", async () => {
  const text = "WEBVTT\n\n00:00.000 --> 00:02.500\nHello\n";
  const bytes = new TextEncoder().encode(text);
  const call = { ...chatCall(), body: { response_format: "vtt" } };
  for (let at = 0; at <= bytes.length; at++) {
    const provider = providerOf(answered(bytes.subarray(0, at), "text/vtt", "broken"));
    await assert.rejects(
      provider.speaks.openai_transcriptions!.answer(call, never()),
      isBroken,
      `at ${at}`,
    );
  }
  const provider = providerOf(answered(bytes, "text/vtt", "orderly"));
  const { usage } = await provider.speaks.openai_transcriptions!.answer(call, never());
  assert.deepEqual(usage, { audioSecond: 3 });
});

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
  "\u0000\ud800",
  { toString: 1 },
];

/** The same with something in it replaced by what does not belong there. */
function broken(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.12)) return random.pick(ODD);
  const names = Object.keys(value);
  if (names.length === 0) return random.pick(ODD);
  const name = random.pick(names);
  if (Array.isArray(value)) {
    return value.map((one, index) => index === Number(name) ? broken(random, one) : one);
  }
  return { ...value, [name]: broken(random, (value as JsonObject)[name]) };
}

for (const asked of ASKED) {
  Deno.test(`${asked.name} with wrong values in it is an answer or a failure`, async () => {
    const random = new SeededRandom(SEED, asked.name);
    for (let round = 0; round < ROUNDS; round++) {
      const whole = broken(random, asked.whole);
      const isSent = asked.type !== EVENTS || Array.isArray(whole);
      const bytes = bytesOf({ ...asked, whole: isSent ? whole as object : [whole as object] });
      try {
        for (const { usage } of await ask(asked, bytes)) {
          for (const count of Object.values(usage ?? {})) {
            assert.ok(
              Number.isSafeInteger(count) && count >= 0,
              `${count}: ${JSON.stringify(whole)}`,
            );
          }
        }
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
      }
    }
  });
}
