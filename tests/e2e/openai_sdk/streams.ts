/**
 * Answers that stream, to their end or not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk } from "../../support/chat_bodies.ts";
import { sseReply } from "../../support/fake_upstream.ts";
import { assertAdditions, collect, ECHO, hello, type Scenario, textOf, WEATHER } from "./scene.ts";

/** Answers that stream, to their end or not. */
export const STREAMS: readonly Scenario[] = [
  {
    name: "a stream",
    async run({ client, gateway, key }) {
      const { data, request_id, response } = await client.chat.completions.create({
        model: "echo-1",
        messages: hello,
        stream: true,
      }).withResponse();
      assert.equal(response.headers.get("x-tollgate-provider"), "builtin");
      assert.equal(response.headers.get("x-tollgate-route"), "builtin/echo-1");
      assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
      const chunks = await collect(data);
      assert.equal(textOf(chunks), ECHO);
      assert.ok(chunks.length > 2);
      assert.equal(chunks[0]!.choices[0]!.delta.role, "assistant");
      assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
      const finishes = chunks.map(({ choices }) => choices[0]?.finish_reason).filter(Boolean);
      assert.deepEqual(finishes, ["stop"]);
      // Usage was not asked for: no chunk has it, and none is without a choice.
      assert.ok(chunks.every((one) => !("usage" in one) && one.choices.length === 1));
      assert.ok(chunks.every((one) => one.model === "echo-1" && !("pricing" in one)));
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.equal(call.state, "settled");
      assert.equal(call.stream, true);
      assert.equal(call.usage_source, "reported");
    },
  },
  {
    name: "a stream with include_usage",
    async run({ client }) {
      const chunks = await collect(
        await client.chat.completions.create({
          model: "echo-1",
          messages: hello,
          stream: true,
          stream_options: { include_usage: true },
        }),
      );
      const last = chunks.pop()!;
      assert.deepEqual(last.choices, []);
      assertAdditions(last);
      assert.equal(textOf(chunks), ECHO);
      assert.ok(chunks.every((one) => one.usage === null && one.choices.length === 1));
    },
  },
  {
    name: "the .stream() helper",
    async run({ client }) {
      const stream = client.chat.completions.stream({
        model: "echo-1",
        messages: hello,
        stream_options: { include_usage: true },
      });
      let written = "";
      stream.on("content", (delta) => written += delta);
      const final = await stream.finalChatCompletion();
      assert.equal(written, ECHO);
      assert.equal(final.choices[0]!.message.content, ECHO);
      assert.equal(final.choices[0]!.finish_reason, "stop");
      assertAdditions(final);
      const { total_tokens } = await stream.totalUsage();
      assert.equal(total_tokens, final.usage?.total_tokens);
    },
  },
  {
    name: "tools in a stream",
    async run({ client }) {
      const chunks = await collect(
        await client.chat.completions.create({
          model: "echo-1",
          messages: hello,
          tools: [WEATHER],
          tool_choice: "required",
          stream: true,
        }),
      );
      const parts = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
      assert.ok(parts.every(({ index }) => index === 0));
      assert.match(parts[0]!.id!, /./);
      assert.equal(parts[0]!.type, "function");
      assert.equal(parts[0]!.function!.name, "get_weather");
      assert.ok(parts.slice(1).every(({ id, type }) => id === undefined && type === undefined));
      const { city, days } = JSON.parse(
        parts.map((part) => part.function?.arguments ?? "").join(""),
      );
      assert.ok(typeof city === "string" && Number.isInteger(days));
      assert.deepEqual(
        chunks.map(({ choices }) => choices[0]?.finish_reason).filter(Boolean),
        ["tool_calls"],
      );
    },
  },
  {
    name: "an upstream that breaks off in mid-stream is an error after what came so far",
    async run({ sdk, client }) {
      const stream = await client.chat.completions.create({
        model: "cut",
        messages: hello,
        stream: true,
      });
      let text = "";
      const error = await (async () => {
        for await (const one of stream) text += one.choices[0]?.delta.content ?? "";
      })().then(() => assert.fail("the stream ended as if it were complete"), (thrown) => thrown);
      assert.ok(error instanceof sdk.APIError, String(error));
      assert.equal(error.code, "upstream_error");
      assert.equal(error.type, "server_error");
      assert.ok(text.length > 0 && ECHO.startsWith(text) && text !== ECHO);
    },
  },
  {
    name: "an abort in mid-stream closes the upstream, and the call is settled",
    async run({ client, upstream, gateway, key }) {
      upstream.answer(sseReply([
        chunk({ role: "assistant", content: "One two" }),
        chunk({ content: " three" }),
        "stall!",
      ]));
      const before = upstream.requests.length;
      const { data, request_id } = await client.chat.completions.create({
        model: "plain",
        messages: hello,
        stream: true,
      }).withResponse();
      let seen = "";
      for await (const one of data) {
        seen += one.choices[0]?.delta.content ?? "";
        if (seen === "One two three") break;
      }
      await (await upstream.received(before)).closed;
      let call = await gateway.get(`/v1/calls/${request_id}`, key);
      while (call.state === "open") call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.equal(call.result, "client_aborted");
      assert.equal(call.usage_source, "estimated");
      assert.ok(call.usage.completion_tokens >= 3 && call.usage.prompt_tokens > 0);
    },
  },
  {
    name: "an upstream that forgets [DONE] after its finish reason is no error",
    async run({ client, upstream }) {
      upstream.answer(sseReply([chunk({ role: "assistant", content: "Hi" }), finishChunk()]));
      const chunks = await collect(
        await client.chat.completions.create({ model: "plain", messages: hello, stream: true }),
      );
      assert.equal(textOf(chunks), "Hi");
    },
  },
];
