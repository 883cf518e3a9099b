/**
 * Answers in one piece, tools, formats and lists.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import schemas from "../../fixtures/openai/chat_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import { assertAdditions, ECHO, hello, type Scenario, WEATHER } from "./scene.ts";

/** Answers in one piece, tools, formats and lists. */
export const PLAIN_ANSWERS: readonly Scenario[] = [
  {
    name: "models.list and models.retrieve",
    async run({ client }) {
      const page = await client.models.list();
      assertSatisfies(schemas, "ListModelsResponse", { object: page.object, data: page.data });
      const ids: string[] = [];
      for await (const model of client.models.list()) ids.push(model.id);
      assert.ok(ids.includes("echo-1") && ids.includes("vectors"));
      const model = await client.models.retrieve("echo-1");
      assertSatisfies(schemas, "Model", model);
      const { source_count, from_price, supports_manual_source_selection } =
        model as unknown as Record<string, unknown>;
      assert.deepEqual(
        { source_count, from_price, supports_manual_source_selection },
        { source_count: 1, from_price: "2.00000000", supports_manual_source_selection: true },
      );
      assert.equal((await client.models.retrieve("echo-1-alias")).id, "echo-1");
    },
  },
  {
    name: "chat.completions.create",
    async run({ client, gateway, key }) {
      const { data, request_id } = await client.chat.completions.create({
        model: "echo-1-alias",
        messages: hello,
      }).withResponse();
      assertSatisfies(schemas, "CreateChatCompletionResponse", data);
      assert.equal(data.model, "echo-1");
      assert.equal(data.choices[0]!.message.content, ECHO);
      assert.equal(data.choices[0]!.finish_reason, "stop");
      assert.equal("tool_calls" in data.choices[0]!.message, false);
      assertAdditions(data);
      assert.equal((data as { _request_id?: string | null })._request_id, request_id);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual(call.usage, data.usage);
      assert.equal(call.pricing.charged_amount, "0.00000000");
    },
  },
  {
    name: "chat.completions.create with n, max_tokens and the routing fields",
    async run({ client }) {
      const answer = await client.chat.completions.create({
        model: "echo-1",
        messages: hello,
        n: 3,
        max_completion_tokens: 2,
        ...{
          provider: "builtin",
          route: "builtin/echo-1",
          routing_preference: "lowest_price",
          source_policy: { exclude_risk_levels: ["high"] },
        },
      });
      assertSatisfies(schemas, "CreateChatCompletionResponse", answer);
      assert.equal(answer.choices.length, 3);
      assert.deepEqual(answer.choices.map(({ index }) => index), [0, 1, 2]);
      assert.ok(answer.choices.every((choice) => choice.finish_reason === "length"));
      assert.equal(answer.usage?.completion_tokens, 6);
      assertAdditions(answer);
    },
  },
  {
    name: "tools: a call, and an answer to its result",
    async run({ client }) {
      const messages: seven.OpenAI.ChatCompletionMessageParam[] = [
        { role: "user", content: "What is the weather? Use get_weather." },
      ];
      const asked = await client.chat.completions.create({
        model: "echo-1",
        messages,
        tools: [WEATHER],
      });
      assertSatisfies(schemas, "CreateChatCompletionResponse", asked);
      const { message, finish_reason } = asked.choices[0]!;
      assert.equal(finish_reason, "tool_calls");
      assert.equal(message.content, null);
      const call = message.tool_calls![0]!;
      assert.ok(call.type === "function");
      assert.equal(call.function.name, "get_weather");
      const { city, days, ...rest } = JSON.parse(call.function.arguments);
      assert.ok(typeof city === "string" && city.length > 0 && Number.isInteger(days) && days > 0);
      assert.deepEqual(rest, {});
      const answered = await client.chat.completions.create({
        model: "echo-1",
        messages: [...messages, message, {
          role: "tool",
          tool_call_id: call.id,
          content: "Rain for two days",
        }],
        tools: [WEATHER],
      });
      assert.equal(
        answered.choices[0]!.message.content,
        "The tool answered: Rain for two days",
      );
      assertAdditions(answered);
    },
  },
  {
    name: "the runTools helper goes the whole round",
    async run({ client }) {
      const calls: string[] = [];
      const runner = client.chat.completions.runTools({
        model: "echo-1",
        messages: [{ role: "user", content: "Use get_weather" }],
        tools: [{
          ...WEATHER,
          function: {
            ...WEATHER.function,
            parse: JSON.parse,
            function: (args: { city: string }) => {
              calls.push(args.city);
              return "Sunshine";
            },
          },
        }],
      });
      assert.equal(await runner.finalContent(), "The tool answered: Sunshine");
      assert.equal(calls.length, 1);
    },
  },
  {
    name: "response_format json_schema and json_object",
    async run({ client }) {
      const schema = {
        type: "object",
        properties: {
          name: { type: "string", minLength: 3 },
          age: { type: "integer", minimum: 18, maximum: 99 },
          tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 2 },
        },
        required: ["name", "age", "tags"],
        additionalProperties: false,
      };
      const parsed = await client.chat.completions.parse({
        model: "echo-1",
        messages: hello,
        response_format: {
          type: "json_schema",
          json_schema: { name: "person", strict: true, schema },
        },
      });
      assertSatisfies(schemas, "CreateChatCompletionResponse", {
        ...parsed,
        choices: parsed.choices.map(({ message: { parsed: _parsed, ...message }, ...choice }) => ({
          ...choice,
          message,
        })),
      });
      const { name, age, tags, ...rest } = JSON.parse(parsed.choices[0]!.message.content!);
      assert.ok(typeof name === "string" && name.length >= 3);
      assert.ok(Number.isInteger(age) && age >= 18 && age <= 99);
      assert.ok(tags.length >= 2 && tags.every((tag: string) => ["a", "b"].includes(tag)));
      assert.deepEqual(rest, {});
      const free = await client.chat.completions.create({
        model: "echo-1",
        messages: hello,
        response_format: { type: "json_object" },
      });
      assert.equal(typeof JSON.parse(free.choices[0]!.message.content!), "object");
    },
  },
  {
    name: "every base URL, with and without a slash at its end",
    async run({ sdk, gateway, key }) {
      for (const path of ["/v1", "/v1/", "/api/gateway/v1", "/api/gateway/v1/"]) {
        const client = new sdk.OpenAI({ baseURL: gateway.url + path, apiKey: key });
        const { choices } = await client.chat.completions.create({
          model: "echo-1-alias",
          messages: hello,
        });
        assert.equal(choices[0]!.message.content, ECHO, path);
        assert.equal((await client.models.retrieve("echo-1")).id, "echo-1", path);
      }
    },
  },
];
