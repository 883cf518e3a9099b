/**
 * The AI SDK with its two providers, as its users have them, against the program:
 * over the Responses API, over chat, and as any compatible server.
 *
 * @module
 */

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  embed,
  embedMany,
  generateObject,
  generateText,
  type LanguageModel,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from "ai";
import assert from "node:assert/strict";
import * as z from "zod";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { spoken } from "../support/spoken_answer.ts";
import { catalogue } from "./openai_sdk/catalogue.ts";
import { ECHO, HELLO } from "./responses_sdk/scene.ts";

/** A way to ask for a model. */
interface Door {
  readonly name: string;
  readonly path: "/v1/responses" | "/v1/chat/completions";
  model(id: string): LanguageModel;
}

function doorsTo(gateway: ServedGateway, apiKey: string): readonly Door[] {
  const baseURL = `${gateway.url}/v1`;
  const openai = createOpenAI({ baseURL, apiKey });
  const compatible = createOpenAICompatible({
    name: "tollgate",
    baseURL,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return [
    { name: "openai()", path: "/v1/responses", model: (id) => openai(id) },
    { name: "openai.chat()", path: "/v1/chat/completions", model: (id) => openai.chat(id) },
    { name: "compatible()", path: "/v1/chat/completions", model: (id) => compatible(id) },
  ];
}

const DAYS_IN_CITY = z.object({ city: z.string().min(1), days: z.number().int().min(1) });
const WEATHER = tool({
  description: "The weather in a city",
  inputSchema: DAYS_IN_CITY,
  execute: ({ city, days }) => `Rain in ${city} for ${days > 0 ? "days" : "ever"}`,
});
const PERSON = z.object({ name: z.string().min(3), age: z.number().int().min(18) });

/** Runs what is asked of each door as a step of its own. */
async function throughEachDoor(
  test: Deno.TestContext,
  gateway: ServedGateway,
  run: (door: Door) => Promise<void>,
): Promise<void> {
  for (const door of doorsTo(gateway, gateway.server.key)) {
    await test.step(door.name, () => run(door));
  }
}

async function withGateway(
  run: (scene: { gateway: ServedGateway; upstream: FakeUpstream }) => Promise<void>,
): Promise<void> {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await serveGateway({ catalogue: catalogue(upstream) });
  await run({ gateway, upstream });
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await gateway.server.stop();
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /Hello there|internal_error|TypeError/);
}

Deno.test("the AI SDK generates texts, whole and streamed", async (test) => {
  await withGateway(async ({ gateway }) => {
    await throughEachDoor(test, gateway, async ({ model }) => {
      const whole = await generateText({ model: model("echo-1"), prompt: HELLO });
      assert.equal(whole.text, ECHO);
      assert.equal(whole.finishReason, "stop");
      assert.equal(whole.response.modelId, "echo-1");
      assert.ok(whole.usage.inputTokens! > 0 && whole.usage.outputTokens! > 0);

      const stream = streamText({ model: model("echo-1"), prompt: HELLO });
      const pieces: string[] = [];
      for await (const piece of stream.textStream) pieces.push(piece);
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(""), ECHO);
      assert.equal(await stream.finishReason, "stop");
      const { inputTokens, outputTokens } = await stream.usage;
      assert.deepEqual(
        [inputTokens, outputTokens],
        [whole.usage.inputTokens, whole.usage.outputTokens],
      );

      const cut = await generateText({ model: model("echo-1"), prompt: HELLO, maxOutputTokens: 2 });
      assert.equal(cut.finishReason, "length");
    });
  });
});

Deno.test("the AI SDK runs tools and goes on with what they say", async (test) => {
  await withGateway(async ({ gateway }) => {
    await throughEachDoor(test, gateway, async ({ name, model }) => {
      const asked = {
        model: model("echo-1"),
        prompt: "Use get_weather",
        tools: { get_weather: WEATHER },
        stopWhen: stepCountIs(3),
      };
      const whole = await generateText(asked);
      assert.match(whole.text, /^The tool answered: Rain in .+ for days$/);
      assert.deepEqual(whole.steps.map(({ finishReason }) => finishReason), ["tool-calls", "stop"]);
      const stream = streamText(asked);
      assert.equal(await stream.text, whole.text);
      const steps = await stream.steps;
      assert.deepEqual(steps.map(({ finishReason }) => finishReason), ["tool-calls", "stop"]);
      if (name !== "openai()") return;
      // Kept answers are referred to item by item; without them the items themselves are sent.
      const unkept = await generateText({
        ...asked,
        providerOptions: { openai: { store: false } },
      });
      assert.equal(unkept.text, whole.text);
    });
  });
});

Deno.test("the AI SDK generates objects, whole and streamed", async (test) => {
  await withGateway(async ({ gateway }) => {
    await throughEachDoor(test, gateway, async ({ model }) => {
      const asked = { model: model("echo-1"), prompt: HELLO };
      const { object } = await generateObject({ ...asked, schema: PERSON });
      assert.deepEqual(PERSON.parse(object), object);
      const stream = streamObject({ ...asked, schema: PERSON });
      let last: unknown;
      for await (const part of stream.partialObjectStream) last = part;
      assert.deepEqual(last, object);
      const { output } = await generateText({
        ...asked,
        output: Output.object({ schema: PERSON }),
      });
      assert.deepEqual(output, object);
    });
  });
});

Deno.test("the AI SDK sees thoughts, words and calls of an upstream of either kind", async (test) => {
  await withGateway(async ({ gateway, upstream }) => {
    upstream.answer(spoken({
      thoughts: "They greet me.",
      text: ["Let me", " see"],
      calls: [{ name: "get_weather", args: '{"city":"Oslo","days":2}' }],
    }));
    const tools = { get_weather: tool({ inputSchema: DAYS_IN_CITY }) };
    await throughEachDoor(test, gateway, async ({ name, path, model }) => {
      // The chat model of OpenAI's own provider knows of no thoughts.
      const thoughts = name === "openai.chat()" ? undefined : "They greet me.";
      for (const id of path === "/v1/responses" ? ["native", "plain"] : ["plain"]) {
        const asked = { model: model(id), prompt: HELLO, tools };
        const whole = await generateText(asked);
        const stream = streamText(asked);
        const streamed = {
          text: await stream.text,
          reasoningText: await stream.reasoningText,
          finishReason: await stream.finishReason,
          toolCalls: await stream.toolCalls,
        };
        for (const answer of [whole, streamed]) {
          assert.equal(answer.text, "Let me see");
          assert.equal(answer.reasoningText, thoughts);
          assert.equal(answer.finishReason, "tool-calls");
          assert.deepEqual(
            answer.toolCalls.map(({ toolName, input }) => [toolName, input]),
            [["get_weather", { city: "Oslo", days: 2 }]],
          );
        }
      }
    });
  });
});

Deno.test("the AI SDK goes on from a kept answer", async () => {
  await withGateway(async ({ gateway, upstream }) => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.server.key });
    upstream.answer(spoken({ text: ["Forty-two"] }));
    const first = await generateText({ model: openai("plain"), prompt: "What is the answer?" });
    const previousResponseId = first.providerMetadata!.openai!.responseId as string;
    assert.match(previousResponseId, /^resp_/);
    await generateText({
      model: openai("plain"),
      prompt: "Why?",
      providerOptions: { openai: { previousResponseId } },
    });
    const { messages } = upstream.requests.at(-1)!.json() as { messages: { content: string }[] };
    assert.deepEqual(messages.map(({ content }) => content), [
      "What is the answer?",
      "Forty-two",
      "Why?",
    ]);
  });
});

Deno.test("the AI SDK raises what goes wrong", async (test) => {
  await withGateway(async ({ gateway }) => {
    const broke = await gateway.key("broke");
    await throughEachDoor(test, gateway, async ({ name, path, model }) => {
      const [poor] = doorsTo(gateway, broke).filter((door) => door.name === name);
      const cases: readonly (readonly [LanguageModel, status: number, isRetryable: boolean])[] = [
        [model("none"), 404, false],
        [model("vectors"), 400, false],
        [poor!.model("echo-1"), 402, false],
        [model("busy"), 503, true],
      ];
      for (const [asked, status, isRetryable] of cases) {
        const error = await generateText({ model: asked, prompt: HELLO, maxRetries: 0 })
          .then(() => assert.fail(`expected ${status}`), (thrown) => thrown);
        assert.ok(APICallError.isInstance(error), String(error));
        assert.deepEqual([error.statusCode, error.isRetryable], [status, isRetryable]);
      }
      // A stream that breaks off ends with an error, not as if it were complete.
      const errors: unknown[] = [];
      const stream = streamText({
        model: model("cut"),
        prompt: HELLO,
        onError: ({ error }) => void errors.push(error),
      });
      let text = "";
      for await (const part of stream.fullStream) if (part.type === "text-delta") text += part.text;
      assert.ok(text.length > 0 && ECHO.startsWith(text) && text !== ECHO, text);
      // Of a response it raises both events that tell of the failure.
      assert.equal(errors.length, path === "/v1/responses" ? 2 : 1);
      for (const error of errors) assert.match(JSON.stringify(error) + String(error), /broke off/);
    });
  });
});

Deno.test("the AI SDK has texts embedded", async () => {
  await withGateway(async ({ gateway }) => {
    const settings = { baseURL: `${gateway.url}/v1`, apiKey: gateway.server.key };
    const compatible = createOpenAICompatible({ name: "tollgate", ...settings });
    const models = [
      createOpenAI(settings).embedding("vectors"),
      compatible.embeddingModel("vectors"),
    ];
    for (const model of models) {
      const { embedding, usage } = await embed({ model, value: HELLO });
      assert.equal(embedding.length, 1_536);
      assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-6);
      assert.ok(usage.tokens > 0);
      const { embeddings } = await embedMany({ model, values: ["Something else", HELLO] });
      assert.equal(embeddings.length, 2);
      assert.deepEqual(embeddings[1], embedding);
      assert.notDeepEqual(embeddings[0], embedding);
    }
  });
});
