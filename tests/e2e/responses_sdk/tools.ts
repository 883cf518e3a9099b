/**
 * Tools: calls, their outputs, and answers to them.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Scenario } from "../openai_sdk/scene.ts";
import {
  asSent,
  assertResponse,
  collect,
  HELLO,
  type InputItem,
  lastResponse,
  type Response,
  WEATHER,
} from "./scene.ts";

const QUESTION = "What is the weather? Use get_weather.";
const TIME = { ...WEATHER, name: "get_time", description: "The time in a city" };

/** The one call of a response, with its arguments checked. */
function callOf({ output }: Response) {
  assert.deepEqual(output.map(({ type }) => type), ["function_call"]);
  const [call] = output;
  assert.ok(call?.type === "function_call");
  assert.equal(call.name, "get_weather");
  const { city, days, ...rest } = JSON.parse(call.arguments);
  assert.ok(typeof city === "string" && city.length > 0 && Number.isInteger(days) && days > 0);
  assert.deepEqual(rest, {});
  return call;
}

/** Tools, whole and streamed. */
export const TOOLS: readonly Scenario[] = [
  {
    name: "tools: a call and an answer to its output, by previous_response_id",
    async run({ client }) {
      const asked = await client.responses.create({
        model: "echo-1",
        input: QUESTION,
        tools: [WEATHER],
      });
      assertResponse(asSent(asked));
      assert.equal(asked.output_text, "");
      assert.deepEqual(asked.tools, [WEATHER]);
      const { call_id } = callOf(asked);
      const answered = await client.responses.create({
        model: "echo-1",
        previous_response_id: asked.id,
        input: [{ type: "function_call_output", call_id, output: "Rain for two days" }],
        tools: [WEATHER],
      });
      assertResponse(asSent(answered));
      assert.equal(answered.output_text, "The tool answered: Rain for two days");
      assert.equal(answered.previous_response_id, asked.id);
    },
  },
  {
    name: "tools: the same round with the whole input and nothing stored",
    async run({ client }) {
      const input: InputItem[] = [{ role: "user", content: QUESTION }];
      const ask = () =>
        client.responses.create({ model: "echo-1", input, tools: [WEATHER], store: false });
      const asked = await ask();
      const { call_id } = callOf(asked);
      input.push(...asked.output as InputItem[], {
        type: "function_call_output",
        call_id,
        output: [{ type: "input_text", text: "Sun" }, { type: "input_text", text: "and wind" }],
      });
      const answered = await ask();
      assertResponse(asSent(answered));
      assert.equal(answered.output_text, "The tool answered: Sun\nand wind");
    },
  },
  {
    name: "tools: two calls at once, unless parallel_tool_calls is false",
    async run({ client }) {
      const input = "Use get_weather and get_time";
      const base = { model: "echo-1", input, tools: [WEATHER, TIME] };
      const both = await client.responses.create(base);
      assertResponse(asSent(both));
      const calls = both.output.map((item) => {
        assert.ok(item.type === "function_call");
        return item;
      });
      assert.deepEqual(calls.map(({ name }) => name), ["get_weather", "get_time"]);
      assert.equal(new Set(calls.flatMap(({ id, call_id }) => [id, call_id])).size, 4);
      const one = await client.responses.create({ ...base, parallel_tool_calls: false });
      assert.equal(one.output.length, 1);
      const outputs: InputItem[] = calls.map(({ call_id, name }) => ({
        type: "function_call_output",
        call_id,
        output: `${name} is done`,
      }));
      const answered = await client.responses.create({
        model: "echo-1",
        previous_response_id: both.id,
        input: outputs,
      });
      assert.equal(answered.output_text, "The tool answered: get_time is done");
    },
  },
  {
    name: "tools: tool_choice names one, requires one, or forbids all",
    async run({ client }) {
      const base = { model: "echo-1", input: HELLO, tools: [TIME, WEATHER] };
      const named = await client.responses.create({
        ...base,
        tool_choice: { type: "function", name: "get_weather" },
      });
      assertResponse(asSent(named));
      callOf(named);
      const { output: [required] } = await client.responses.create({
        ...base,
        tool_choice: "required",
      });
      assert.equal(required!.type, "function_call");
      const none = await client.responses.create({
        ...base,
        input: QUESTION,
        tool_choice: "none",
      });
      assert.equal(none.output_text, `You said: ${QUESTION}`);
    },
  },
  {
    name: "tools in a stream, and their round in a stream",
    async run({ client }) {
      const base = { model: "echo-1", tools: [WEATHER], stream: true as const };
      const events = await collect(
        await client.responses.create({ ...base, input: HELLO, tool_choice: "required" }),
      );
      const asked = lastResponse(events);
      assertResponse(asked);
      const call = callOf(asked);
      const pieces = events.flatMap((event) =>
        event.type === "response.function_call_arguments.delta" ? [event.delta] : []
      );
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(""), call.arguments);
      const answered = lastResponse(
        await collect(
          await client.responses.create({
            ...base,
            previous_response_id: asked.id,
            input: [{ type: "function_call_output", call_id: call.call_id, output: "Fog" }],
          }),
        ),
      );
      assertResponse(answered);
      const [message] = answered.output;
      assert.ok(message?.type === "message" && message.content[0]?.type === "output_text");
      assert.equal(message.content[0].text, "The tool answered: Fog");
    },
  },
  {
    name: "the .stream() helper parses the arguments of a strict tool",
    async run({ client }) {
      const stream = client.responses.stream({
        model: "echo-1",
        input: QUESTION,
        tools: [WEATHER],
      });
      const { output: [call] } = await stream.finalResponse();
      assert.ok(call?.type === "function_call");
      assert.deepEqual(
        (call as { parsed_arguments?: unknown }).parsed_arguments,
        JSON.parse(call.arguments),
      );
    },
  },
  {
    name: "tools: a custom tool goes the whole round",
    async run({ client }) {
      const tools = [{ type: "custom" as const, name: "run_code", description: "Runs code" }];
      const asked = await client.responses.create({
        model: "echo-1",
        input: "Please run_code",
        tools,
      });
      assertResponse(asSent(asked));
      const [call] = asked.output;
      assert.ok(call?.type === "custom_tool_call");
      // Over chat the tool is a function with one text, for which the model makes one up.
      assert.deepEqual([call.name, call.input], ["run_code", "example"]);
      const answered = await client.responses.create({
        model: "echo-1",
        previous_response_id: asked.id,
        input: [{ type: "custom_tool_call_output", call_id: call.call_id, output: "42" }],
        tools,
      });
      assert.equal(answered.output_text, "The tool answered: 42");
    },
  },
];
