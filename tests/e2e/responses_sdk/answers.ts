/**
 * Answers in one piece: what they say, what they say back, and in which form.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Scenario } from "../openai_sdk/scene.ts";
import { asSent, assertResponse, ECHO, HELLO } from "./scene.ts";

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 3 },
    age: { type: "integer", minimum: 18, maximum: 99 },
    tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 2 },
  },
  required: ["name", "age", "tags"],
  additionalProperties: false,
};

/** `text.format` that asks for a person. */
export const AS_PERSON = {
  type: "json_schema" as const,
  name: "person",
  strict: true,
  schema: PERSON,
};

/** Asserts that a text is a person in JSON. */
export function assertPerson(text: string): void {
  const { name, age, tags, ...rest } = JSON.parse(text);
  assert.ok(typeof name === "string" && name.length >= 3);
  assert.ok(Number.isInteger(age) && age >= 18 && age <= 99);
  assert.ok(tags.length >= 2 && tags.every((tag: string) => ["a", "b"].includes(tag)));
  assert.deepEqual(rest, {});
}

/** Answers in one piece. */
export const ANSWERS: readonly Scenario[] = [
  {
    name: "responses.create answers a text",
    async run({ client, gateway, key }) {
      const before = Math.floor(Date.now() / 1000);
      const { data, request_id } = await client.responses.create({ model: "echo-1", input: HELLO })
        .withResponse();
      assert.equal(data.output_text, ECHO);
      assertResponse(asSent(data));
      assert.equal(data.status, "completed");
      assert.ok(data.created_at >= before && data.completed_at! >= data.created_at);
      assert.equal((data as { store?: boolean }).store, true);
      assert.deepEqual(
        [data.background, data.previous_response_id, data.error, data.metadata],
        [false, null, null, {}],
      );
      assert.deepEqual(data.output.map(({ type }) => type), ["message"]);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.equal(call.capability, "responses");
      assert.deepEqual([call.state, call.result, call.stream], ["settled", "completed", false]);
      assert.equal(call.usage.prompt_tokens, data.usage!.input_tokens);
      assert.equal(call.usage.completion_tokens, data.usage!.output_tokens);
      assert.equal(call.pricing.charged_amount, "0.00000000");
    },
  },
  {
    name: "what was asked for is said back",
    async run({ client }) {
      const asked = {
        instructions: "Be brief",
        metadata: { tenant: "blue", empty: "" },
        temperature: 0.25,
        top_p: 0.5,
        max_output_tokens: 1_000,
        parallel_tool_calls: false,
        truncation: "auto" as const,
        tool_choice: "auto" as const,
        text: { format: { type: "text" as const }, verbosity: "low" as const },
        user: "user-1",
      };
      const answer = await client.responses.create({ model: "echo-1", input: HELLO, ...asked });
      assertResponse(asSent(answer));
      assert.deepEqual(
        Object.fromEntries(
          Object.keys(asked).map((field) => [field, answer[field as keyof typeof answer]]),
        ),
        asked,
      );
    },
  },
  {
    name: "an answer that is cut is incomplete, and says why",
    async run({ client }) {
      const answer = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        max_output_tokens: 2,
      });
      assertResponse(asSent(answer));
      assert.deepEqual([answer.status, answer.incomplete_details, answer.completed_at], [
        "incomplete",
        { reason: "max_output_tokens" },
        null,
      ]);
      assert.ok(ECHO.startsWith(answer.output_text) && answer.output_text !== ECHO);
      assert.equal(answer.usage!.output_tokens, 2);
      assert.equal((answer.output[0] as { status: string }).status, "incomplete");
    },
  },
  {
    name: "responses.parse with text.format json_schema, and json_object",
    async run({ client }) {
      const parsed = await client.responses.parse({
        model: "echo-1",
        input: HELLO,
        text: { format: AS_PERSON },
      });
      assertPerson(parsed.output_text);
      assert.deepEqual(parsed.output_parsed, JSON.parse(parsed.output_text));
      assert.deepEqual(parsed.text!.format, AS_PERSON);
      const free = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        text: { format: { type: "json_object" } },
      });
      assertResponse(asSent(free));
      assert.equal(typeof JSON.parse(free.output_text), "object");
    },
  },
  {
    name: "the routing fields choose the source and do not reach it",
    async run({ client, upstream }) {
      const asked = upstream.requests.length;
      const answer = await client.responses.create({
        model: "echo-1",
        input: [{ role: "user", content: HELLO }],
        ...{
          provider: "builtin",
          route: "builtin/echo-1",
          routing_preference: "lowest_price",
          source_policy: { exclude_risk_levels: ["high"] },
        },
      });
      assertResponse(asSent(answer));
      for (const field of ["routing_preference", "source_policy"]) assert.ok(!(field in answer));
      assert.equal(upstream.requests.length, asked);
    },
  },
  {
    name: "every base URL, with and without a slash at its end",
    async run({ sdk, gateway, key }) {
      for (const path of ["/v1", "/v1/", "/api/gateway/v1", "/api/gateway/v1/"]) {
        const client = new sdk.OpenAI({ baseURL: gateway.url + path, apiKey: key });
        const answer = await client.responses.create({ model: "echo-1", input: HELLO });
        assert.equal(answer.output_text, ECHO, path);
        const kept = await client.responses.retrieve(answer.id);
        assert.equal(kept.output_text, ECHO, path);
      }
    },
  },
];
