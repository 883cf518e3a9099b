import assert from "node:assert/strict";
import { nested } from "../../support/nested_tokens.ts";
import * as z from "zod";
import { systemClock } from "../../../src/domain/clock.ts";
import { countTokens } from "../../../src/domain/tokenizer.ts";
import { createBuiltin } from "../../../src/providers/builtin/provider.ts";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  providerSettings,
  readAll,
} from "../../support/provider_parts.ts";

const SETTINGS = providerSettings({ id: "builtin", kind: "builtin", baseUrl: undefined });
const provider = createBuiltin(SETTINGS, { clock: systemClock, random: Math.random });
const route = chatRoute({ upstreamModel: "echo-1" });

interface Choice {
  readonly index: number;
  readonly finish_reason: string | null;
  readonly message: {
    readonly content: string | null;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly type: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  };
}

async function chat(body: JsonObject, cap?: number) {
  const options = { route, ...(cap === undefined ? {} : { outputTokensCap: cap }) };
  const answer = await provider.speaks.openai_chat.answer(chatCall(body, options), never());
  return { ...answer, choices: answer.body.choices as readonly Choice[] };
}

/** What a client makes of a stream: the message of choice 0 and its finish reason. */
async function streamed(body: JsonObject) {
  const events = await readAll(
    await provider.speaks.openai_chat.stream(chatCall(body, { route }), never()),
  );
  let content = "";
  const calls: { id: string; name: string; text: string }[] = [];
  let finishReason: unknown;
  for (const choice of choicesOf(events)) {
    const { delta } = choice;
    if (typeof delta.content === "string") content += delta.content;
    for (const call of (delta.tool_calls ?? []) as JsonObject[]) {
      const called = call.function as { name?: string; arguments: string };
      if (call.id !== undefined) {
        calls[call.index as number] = { id: call.id as string, name: called.name!, text: "" };
      }
      calls[call.index as number]!.text += called.arguments;
    }
    if (choice.finish_reason !== null) finishReason = choice.finish_reason;
  }
  return { events, content, calls, finishReason };
}

function choicesOf(events: readonly AnswerEvent[]) {
  return events.flatMap((event) =>
    event.chunk.choices as { index: number; delta: JsonObject; finish_reason: string | null }[]
  );
}

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 2 } },
      required: ["city", "days"],
    },
  },
};
const TIME = { type: "function", function: { name: "getTime" } };

Deno.test("echo-1 repeats the last user message and reports usage", async () => {
  const { body, choices, usage, text } = await chat({
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "First" },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: "Hello, world" },
    ],
  });
  assert.equal(choices[0]!.message.content, "You said: Hello, world");
  assert.equal(choices[0]!.finish_reason, "stop");
  assert.equal(text(), "You said: Hello, world");
  assert.equal(body.object, "chat.completion");
  assert.match(body.id as string, /^chatcmpl-/);
  const texts = ["Be brief", "First", "Yes?", "Hello, world"];
  assert.equal(
    nested(usage)?.promptTokens,
    16 + texts.reduce((sum, one) => sum + countTokens(one), 0),
  );
  assert.equal(nested(usage)?.completionTokens, countTokens("You said: Hello, world"));
  assert.equal((body.usage as JsonObject).prompt_tokens, nested(usage)?.promptTokens);
});

Deno.test("echo-1 says the same twice, whatever chance does", async () => {
  const one = await chat(user("Hello"));
  const other = await chat(user("Hello"));
  assert.deepEqual(one.choices, other.choices);
  assert.notEqual(one.body.id, other.body.id);
});

Deno.test("echo-1 reads parts, names those that are no text, and bears odd messages", async () => {
  const parts = [{ type: "text", text: "See" }, { type: "image_url", image_url: { url: "x" } }];
  assert.equal((await chat(user(parts))).choices[0]!.message.content, "You said: See [image_url]");
  for (const messages of [[], [null, 7], undefined, [{ role: "user" }], "x"]) {
    assert.equal((await chat({ messages })).choices[0]!.message.content, "You said: nothing");
  }
});

Deno.test("echo-1 streams one token per chunk, with one id, a role first and usage last", async () => {
  const { events, content, finishReason } = await streamed(user("Hello, world"));
  assert.equal(content, "You said: Hello, world");
  assert.equal(finishReason, "stop");
  const tokens = countTokens(content);
  assert.equal(events.length, tokens + 2);
  assert.equal(new Set(events.map((event) => event.chunk.id)).size, 1);
  assert.deepEqual(
    choicesOf(events).map((choice) => choice.delta.role),
    ["assistant", ...Array(tokens).fill(undefined)],
  );
  for (const event of events) assert.ok(!("usage" in event.chunk));
  assert.ok(events.at(-2)!.finished);
  assert.ok(events.at(-1)!.empty);
  assert.equal(nested(events.at(-1)!.usage)?.completionTokens, tokens);
  assert.equal(events.at(-1)!.usageBody?.completion_tokens, tokens);
  assert.equal(events.filter((event) => event.usage !== undefined).length, 1);
});

Deno.test("echo-1 honours max_tokens and max_completion_tokens, plain and streamed", async () => {
  for (const field of ["max_tokens", "max_completion_tokens"]) {
    const { choices, usage } = await chat({ ...user("Hello, world"), [field]: 3 });
    assert.equal(choices[0]!.message.content, "You said:");
    assert.equal(choices[0]!.finish_reason, "length");
    assert.equal(nested(usage)?.completionTokens, 3);
    const stream = await streamed({ ...user("Hello, world"), [field]: 3 });
    assert.equal(stream.content, "You said:");
    assert.equal(stream.finishReason, "length");
  }
  const capped = await chat(user("Hello, world"), 2);
  assert.equal(capped.choices[0]!.message.content, "You said");
  const exact = await chat({ ...user("Hi"), max_tokens: 4 });
  assert.equal(exact.choices[0]!.finish_reason, "stop");
});

Deno.test("echo-1 honours stop", async () => {
  for (const stop of ["lo", ["zzz", "lo"], ["", "lo, w"]]) {
    const { choices } = await chat({ ...user("Hello, world"), stop });
    assert.equal(choices[0]!.message.content, "You said: Hel");
    assert.equal(choices[0]!.finish_reason, "stop");
  }
});

Deno.test("echo-1 honours n and seed", async () => {
  const { choices, usage } = await chat({ ...user("Hi"), n: 3 });
  assert.deepEqual(choices.map((choice) => choice.index), [0, 1, 2]);
  assert.equal(new Set(choices.map((choice) => choice.message.content)).size, 3);
  const sum = choices.reduce((tokens, { message }) => tokens + countTokens(message.content!), 0);
  assert.equal(nested(usage)?.completionTokens, sum);
  const seeded = await chat({ ...user("Hi"), seed: 1 });
  assert.deepEqual(seeded.choices, (await chat({ ...user("Hi"), seed: 1 })).choices);
  assert.notDeepEqual(seeded.choices, (await chat({ ...user("Hi"), seed: 2 })).choices);

  const events = await readAll(
    await provider.speaks.openai_chat.stream(chatCall({ ...user("Hi"), n: 2 }, { route }), never()),
  );
  assert.deepEqual(new Set(choicesOf(events).map((choice) => choice.index)), new Set([0, 1]));
  assert.equal(events.filter((event) => event.finished).length, 2);
});

Deno.test("echo-1 calls the tool that tool_choice or the last message asks for", async () => {
  const tools = [TIME, WEATHER];
  const rows: readonly [JsonObject, readonly string[]][] = [
    [{ ...user("Hi"), tools }, []],
    [{ ...user("Hi"), tools, tool_choice: "auto" }, []],
    [{ ...user("Use a tool, please"), tools }, ["getTime"]],
    [{ ...user("What does get_weather say?"), tools }, ["get_weather"]],
    [{ ...user("Get time and get weather"), tools }, ["getTime", "get_weather"]],
    [{ ...user("Get time and get weather"), tools, parallel_tool_calls: false }, ["getTime"]],
    [{ ...user("get_weather"), tools, tool_choice: "none" }, []],
    [{ ...user("Hi"), tools, tool_choice: "required" }, ["getTime"]],
    [{ ...user("get_weather"), tools, tool_choice: "required" }, ["get_weather"]],
    [
      {
        ...user("Hi"),
        tools,
        tool_choice: { type: "function", function: { name: "get_weather" } },
      },
      ["get_weather"],
    ],
  ];
  for (const [body, names] of rows) {
    const { choices } = await chat(body);
    const { message, finish_reason } = choices[0]!;
    const calls = message.tool_calls ?? [];
    assert.deepEqual(calls.map((call) => call.function.name), names, JSON.stringify(body));
    assert.equal(finish_reason, names.length > 0 ? "tool_calls" : "stop");
    assert.equal(message.content === null, names.length > 0);
    assert.equal("tool_calls" in message, names.length > 0);
  }
});

Deno.test("echo-1 gives tools arguments that are valid, plain and streamed alike", async () => {
  const body = { ...user("Hi"), tools: [WEATHER], tool_choice: "required" };
  const { choices, usage } = await chat(body);
  const [call] = choices[0]!.message.tool_calls!;
  const parameters = WEATHER.function.parameters as Parameters<typeof z.fromJSONSchema>[0];
  assert.ok(z.fromJSONSchema(parameters).safeParse(JSON.parse(call!.function.arguments)).success);
  assert.equal(
    nested(usage)?.completionTokens,
    countTokens("get_weather") + countTokens(call!.function.arguments),
  );

  const stream = await streamed(body);
  assert.equal(stream.finishReason, "tool_calls");
  assert.equal(stream.content, "");
  assert.deepEqual(stream.calls.map(({ name, text }) => [name, text]), [
    ["get_weather", call!.function.arguments],
  ]);
  assert.match(stream.calls[0]!.id, /^call_\w+$/);
  assert.equal(
    nested(stream.events.at(-1)!.usage)?.completionTokens,
    nested(usage)?.completionTokens,
  );
});

Deno.test("echo-1 answers a tool's result with text, even when a tool is required", async () => {
  const { choices } = await chat({
    messages: [
      { role: "user", content: "get_weather" },
      { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function" }] },
      { role: "tool", tool_call_id: "a", content: "Sunny" },
    ],
    tools: [WEATHER],
    tool_choice: "required",
  });
  assert.equal(choices[0]!.message.content, "The tool answered: Sunny");
  assert.equal(choices[0]!.finish_reason, "stop");
});

Deno.test("echo-1 calls custom tools with the user's words", async () => {
  const tools = [{ type: "custom", custom: { name: "shell" } }];
  const { choices } = await chat({ ...user("ls"), tools, tool_choice: "required" });
  const [call] = choices[0]!.message.tool_calls as unknown as JsonObject[];
  assert.equal(call!.type, "custom");
  assert.deepEqual(call!.custom, { name: "shell", input: "ls" });
});

Deno.test("echo-1 cuts tool calls at the output limit", async () => {
  const { choices, usage } = await chat({
    ...user("Hi"),
    tools: [WEATHER],
    tool_choice: "required",
    max_tokens: 5,
  });
  assert.equal(choices[0]!.finish_reason, "length");
  assert.equal(nested(usage)?.completionTokens, 5);
});

Deno.test("echo-1 satisfies json_schema and json_object", async () => {
  const schema = z.toJSONSchema(z.object({ name: z.string(), age: z.number().min(18) }));
  const format = { type: "json_schema", json_schema: { name: "person", schema, strict: true } };
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const plain = await chat({ ...user("Hi"), response_format: format });
  assert.ok(parsed.safeParse(JSON.parse(plain.choices[0]!.message.content!)).success);
  const stream = await streamed({ ...user("Hi"), response_format: format });
  assert.equal(stream.content, plain.choices[0]!.message.content);

  const object = await chat({ ...user('Say "hi"'), response_format: { type: "json_object" } });
  assert.deepEqual(JSON.parse(object.choices[0]!.message.content!), { echo: 'Say "hi"' });
});

Deno.test("echo-1 tells the caller which field it cannot meet", async () => {
  const rows: readonly [JsonObject, string][] = [
    [{ max_tokens: 0 }, "max_tokens"],
    [{ max_completion_tokens: 1.5 }, "max_completion_tokens"],
    [{ n: 0 }, "n"],
    [{ n: 129 }, "n"],
    [{ tool_choice: "required" }, "tool_choice"],
    [{ tools: [TIME], tool_choice: { function: { name: "nope" } } }, "tool_choice"],
    [
      { response_format: { type: "json_schema", json_schema: { schema: false } } },
      "response_format",
    ],
    [
      {
        tools: [{ type: "function", function: { name: "f", parameters: { enum: [] } } }],
        tool_choice: "required",
      },
      "tools",
    ],
  ];
  for (const [body, param] of rows) {
    for (const method of ["answer", "stream"] as const) {
      const error = await failureOf(
        provider.speaks.openai_chat[method](chatCall(body, { route }), never()),
      );
      assert.equal(error.failure, "caller");
      assert.equal(error.status, 400);
      assert.equal(error.param, param);
      assert.ok(error.publicMessage?.includes(`'${param}'`), error.publicMessage);
    }
  }
});

Deno.test("echo-1 applies the route's body rules", async () => {
  const limited = chatRoute({ upstreamModel: "echo-1", body: { set: { max_tokens: 1 } } });
  const answer = await provider.speaks.openai_chat.answer(
    chatCall(user("Hi"), { route: limited }),
    never(),
  );
  assert.equal(answer.text(), "You");
});

Deno.test("echo-1 lets others have their turn while it reads a long prompt", async () => {
  let turns = 0;
  const turn = setInterval(() => turns++, 0);
  const long = "hello brave new world ".repeat(200_000);
  const { usage, choices } = await chat({ ...user(long), n: 128, max_tokens: 2 });
  clearInterval(turn);
  assert.equal(nested(usage)?.promptTokens, 4 + countTokens(long));
  assert.deepEqual(choices.map((one) => one.message.content).slice(0, 5), [
    "You said",
    "I heard",
    "Your words",
    "Echo:",
    "You said",
  ]);
  assert.deepEqual([choices.length, choices[127]!.finish_reason], [128, "length"]);
  assert.ok(turns > 10, `${turns} turns`);
});

Deno.test("echo-1 gives the calls of every choice ids of their own", async () => {
  const { choices } = await chat({ ...user("Call get_weather"), tools: [WEATHER], n: 3 });
  const calls = choices.flatMap((one) => one.message.tool_calls ?? []);
  assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
  assert.deepEqual(calls.map((call) => call.function.name), Array(3).fill("get_weather"));
});

Deno.test("echo-1 refuses stops that are too many or too long to look for", async () => {
  for (const stop of [["a", "b", "c", "d", "e"], "x".repeat(201)]) {
    const error = await failureOf(chat({ ...user("Hi"), stop }));
    assert.deepEqual([error.failure, error.status, error.param], ["caller", 400, "stop"]);
  }
  const most = await chat({ ...user("Hi x there"), stop: ["x", "y", "z", "q".repeat(200)] });
  assert.equal(most.choices[0]!.message.content, "You said: Hi ");
});

Deno.test("echo-1 looks for the names of tools in the beginning of a message only", async () => {
  const filler = "x".repeat(100_000);
  for (
    const [text, reason] of [[`get_weather ${filler}`, "tool_calls"], [
      `${filler} get_weather`,
      "stop",
    ]]
  ) {
    const { choices } = await chat({ ...user(text), tools: [WEATHER] });
    assert.equal(choices[0]!.finish_reason, reason);
  }
});
