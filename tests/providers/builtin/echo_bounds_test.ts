import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { countTokens } from "../../../src/domain/tokenizer.ts";
import { createBuiltin } from "../../../src/providers/builtin/provider.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { countedTurns } from "../../support/counted_turns.ts";
import {
  chatCall,
  chatRoute,
  never,
  providerSettings,
  readAll,
} from "../../support/provider_parts.ts";

const SETTINGS = providerSettings({ id: "builtin", kind: "builtin", baseUrl: undefined });
const provider = createBuiltin(SETTINGS, { clock: systemClock, random: Math.random });
const route = chatRoute({ upstreamModel: "echo-1" });

interface Choice {
  readonly finish_reason: string;
  readonly message: {
    readonly content: string;
    readonly tool_calls: readonly { readonly custom: { readonly input: string } }[];
  };
}

async function chat(body: JsonObject) {
  const answer = await provider.speaks.openai_chat.answer(chatCall(body, { route }), never());
  return { ...answer, choices: answer.body.choices as readonly Choice[] };
}

/** Most characters of all choices and calls together. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

function tool(name: string): JsonObject {
  return { type: "custom", custom: { name } };
}

Deno.test("echo-1 writes no more for many choices together than for one", async () => {
  const messages = [{ role: "user", content: "many words ".repeat(100_000) }];
  const { choices, text, usage } = await chat({ n: 128, messages });
  assert.equal(choices.length, 128);
  for (const { finish_reason: reason, message: { content } } of choices) {
    assert.equal(reason, "length");
    assert.ok(content.length <= MOST_CHARACTERS / 128 && content.length > 130_000);
  }
  assert.ok(text().length <= MOST_CHARACTERS);
  assert.equal(usage!.output, 128 * countTokens(choices[0]!.message.content));
  const few = await chat({ n: 2, messages });
  assert.deepEqual(few.choices.map(({ finish_reason: reason }) => reason), ["stop", "stop"]);
});

Deno.test("echo-1 repeats a long text for so many tools only as an answer holds", async () => {
  const names = Array.from({ length: 900 }, (_, index) => `tool_${index}`);
  const { choices, text } = await chat({
    n: 4,
    tools: names.map(tool),
    messages: [{ role: "user", content: names.join(" ") + " word".repeat(100_000) }],
  });
  assert.ok(text().length <= MOST_CHARACTERS);
  for (const { finish_reason: reason, message } of choices) {
    assert.equal(reason, "length");
    const { tool_calls: calls } = message;
    assert.ok(calls.length > 5 && calls.length < 900);
    assert.ok(calls.at(-1)!.custom.input.length < calls[0]!.custom.input.length);
  }
});

Deno.test("echo-1 streams the tokens that its whole answer has, cut where that is cut", async () => {
  for (const body of [{ max_tokens: 7 }, { max_tokens: 3, tools: [tool("say")] }, {}]) {
    const messages = [{ role: "user", content: "please say one two three four five six 👍🏽" }];
    const whole = await chat({ ...body, messages });
    const events = await readAll(
      await provider.speaks.openai_chat.stream(chatCall({ ...body, messages }, { route }), never()),
    );
    assert.equal(events.map(({ text }) => text).join(""), whole.text());
  }
});

Deno.test("echo-1 streams a long answer in few chunks: first a token each, then several", async () => {
  const messages = [{ role: "user", content: "many words ".repeat(100_000) }];
  const whole = (await chat({ messages })).text();
  const body = { stream: true, messages };
  const stream = await provider.speaks.openai_chat.stream(chatCall(body, { route }), never());
  const events = await readAll(stream);
  const pieces = events.map((event) => event.text).filter((piece) => piece !== "");
  assert.ok(pieces.join("") === whole);
  assert.ok(pieces.slice(0, 2_000).every((piece) => countTokens(piece) === 1));
  assert.ok(pieces.length < countTokens(whole) / 20);
  assert.equal(events.at(-1)!.usage!.output, countTokens(whole));
});

Deno.test("echo-1 lets others have their turn while it makes a value of a large schema", async () => {
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, value]));
  const schema = {
    type: "object",
    properties: many(100, { type: "object", properties: many(30, { type: "string" }) }),
  };
  const messages = [{ role: "user", content: "Go" }];
  const asked: readonly JsonObject[] = [
    {
      messages,
      response_format: { type: "json_schema", json_schema: { name: "a", schema } },
      n: 3,
    },
    {
      messages,
      tool_choice: "required",
      tools: [{ type: "function", function: { name: "f", parameters: schema } }],
    },
    // Parts that are merged, one by one.
    {
      messages,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "a",
          schema: {
            allOf: Array.from({ length: 1_000 }, (_, at) => ({ properties: { [at]: {} } })),
          },
        },
      },
    },
  ];
  for (const body of asked) {
    const { turns, result } = await countedTurns(() => chat(body).catch(String));
    assert.ok(turns >= 4, `${turns} turns for ${JSON.stringify(result).slice(0, 300)}`);
  }
});
