/**
 * Answers as streams of events.
 *
 * @module
 */

import assert from "node:assert/strict";
import { rawSseReply } from "../../support/fake_upstream.ts";
import { beginEvents, messageEvents, numbered } from "../../support/response_bodies.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import { chunk } from "../../support/chat_bodies.ts";
import { spoken, type SpokenAnswer, typedEvent } from "../../support/spoken_answer.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { AS_PERSON, assertPerson } from "./answers.ts";
import type { Scenario } from "../openai_sdk/scene.ts";
import {
  asSent,
  assertResponse,
  BOTH_KINDS,
  collect,
  ECHO,
  HELLO,
  lastResponse,
  type StreamEvent,
  textOf,
} from "./scene.ts";

const ORDER = [
  "response.created",
  "response.in_progress",
  "response.output_item.added",
  "response.content_part.added",
  "response.output_text.delta",
  "response.output_text.done",
  "response.content_part.done",
  "response.output_item.done",
  "response.completed",
];
const THINKING: SpokenAnswer = { thoughts: "They greet me.", text: ["Hi", " you"] };

/** Three words, and nothing more: as both kinds of upstream write it. */
const UNFINISHED = {
  native: rawSseReply([
    ...numbered([...beginEvents(), ...messageEvents(["One two", " three"]).slice(0, 4)])
      .map(typedEvent),
    "stall!",
  ]),
  plain: rawSseReply([
    ...[chunk({ role: "assistant", content: "One two" }), chunk({ content: " three" })]
      .map((one) => `data: ${JSON.stringify(one)}\n\n`),
    "stall!",
  ]),
};

/** Answers as streams of events. */
export const STREAMS: readonly Scenario[] = [
  {
    name: "a stream has every event in its order, and the price in the last one",
    async run({ client, gateway, key }) {
      const { data, request_id, response } = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        stream: true,
      }).withResponse();
      assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
      const events = await collect(data);
      const types = events.map(({ type }) => type);
      assert.deepEqual(types.filter((type, index) => type !== types[index - 1]), ORDER);
      assert.equal(textOf(events), ECHO);
      const [first] = events;
      assert.ok(first?.type === "response.created");
      assert.equal(first.response.status, "in_progress");
      assert.ok(!("pricing" in first.response) && first.response.usage === undefined);
      const last = lastResponse(events);
      assertResponse(last);
      assert.equal(last.id, first.response.id);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.state, call.stream, call.usage_source], ["settled", true, "reported"]);
      assert.equal(call.usage.total_tokens, last.usage!.total_tokens);
      assert.deepEqual(asSent(await client.responses.retrieve(last.id)), last);
    },
  },
  {
    name: "the .stream() helper puts the answer together",
    async run({ client }) {
      const stream = client.responses.stream({ model: "echo-1", input: HELLO });
      let written = "";
      const seen = new Set<string>();
      stream.on("event", ({ type }) => seen.add(type));
      stream.on("response.output_text.delta", ({ delta, snapshot }) => {
        written += delta;
        assert.equal(snapshot, written);
      });
      const final = await stream.finalResponse();
      assert.equal(written, ECHO);
      assert.equal(final.output_text, ECHO);
      assert.deepEqual([...seen], ORDER);
      assertResponse(asSent(final));
    },
  },
  {
    name: "the .stream() helper parses an answer in a schema",
    async run({ client }) {
      const stream = client.responses.stream({
        model: "echo-1",
        input: HELLO,
        text: { format: AS_PERSON },
      });
      const { output_parsed, output_text } = await stream.finalResponse();
      assertPerson(output_text);
      // The sixth parses only formats that its own functions have made.
      if (output_parsed !== null) assert.deepEqual(output_parsed, JSON.parse(output_text));
    },
  },
  {
    name:
      "the .stream() helper iterates, and reads on from a kept answer of an upstream of either kind",
    async run({ client, upstream }) {
      upstream.answer(spoken(THINKING));
      for (const model of BOTH_KINDS) {
        const stream = client.responses.stream({ model, input: HELLO });
        const events: StreamEvent[] = [];
        for await (const event of stream) events.push(event as StreamEvent);
        assert.equal(textOf(events), "Hi you");
        const final = await stream.finalResponse();
        assert.deepEqual(final.output.map(({ type }) => type), ["reasoning", "message"]);
        const [thoughts] = final.output;
        assert.ok(thoughts?.type === "reasoning");
        assert.deepEqual(thoughts.summary, [{ type: "summary_text", text: "They greet me." }]);
      }
    },
  },
  {
    name: "a stream that is cut by its limit ends as incomplete",
    async run({ client }) {
      const events = await collect(
        await client.responses.create({
          model: "echo-1",
          input: HELLO,
          max_output_tokens: 2,
          stream: true,
        }),
      );
      assert.equal(events.at(-1)!.type, "response.incomplete");
      const last = lastResponse(events);
      assertResponse(last);
      assert.deepEqual(last.incomplete_details, { reason: "max_output_tokens" });
    },
  },
  {
    name: "an upstream that breaks off in mid-stream is a failure and an error that raises",
    async run({ sdk, gateway, counted }) {
      const key = await gateway.key("payer");
      const { client } = counted(key);
      const { data, request_id } = await client.responses.create({
        model: "cut",
        input: HELLO,
        stream: true,
      }).withResponse();
      const events: StreamEvent[] = [];
      const error = await (async () => {
        for await (const event of data) events.push(event);
      })().then(() => assert.fail("the stream ended as if it were complete"), (thrown) => thrown);
      assert.ok(error instanceof sdk.APIError, String(error));
      assert.deepEqual([error.code, error.type], ["upstream_error", "server_error"]);
      const text = textOf(events);
      assert.ok(text.length > 0 && ECHO.startsWith(text) && text !== ECHO);
      for (const event of events) assertSatisfies(schemas, "ResponseStreamEvent", event);
      const failed = events.at(-1)!;
      assert.ok(failed.type === "response.failed");
      assert.deepEqual([failed.response.status, failed.response.error!.code], [
        "failed",
        "server_error",
      ]);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.state, call.result, call.pricing.charged_amount], [
        "released",
        "upstream_failed",
        "0.00000000",
      ]);
      await assert.rejects(client.responses.retrieve(failed.response.id), sdk.NotFoundError);
    },
  },
  {
    name: "a break in mid-stream closes the upstream, and the call is settled by what came",
    async run({ sdk, upstream, gateway, counted }) {
      const key = await gateway.key("payer");
      const { client } = counted(key);
      for (const model of BOTH_KINDS) {
        upstream.answer(UNFINISHED[model]);
        const before = upstream.requests.length;
        const { data, request_id } = await client.responses.create({
          model,
          input: HELLO,
          stream: true,
        }).withResponse();
        let seen = "";
        let id = "";
        for await (const event of data) {
          if (event.type === "response.created") id = event.response.id;
          if (event.type === "response.output_text.delta") seen += event.delta;
          if (seen === "One two three") break;
        }
        await (await upstream.received(before)).closed;
        const call = await pollUntil({
          what: "the end of the call",
          read: () => gateway.get(`/v1/calls/${request_id}`, key),
          isThere: ({ state }) => state !== "open",
        });
        assert.deepEqual([call.state, call.result, call.usage_source], [
          "settled",
          "client_aborted",
          "estimated",
        ]);
        assert.ok(call.usage.completion_tokens >= 3 && call.usage.prompt_tokens > 0);
        assert.notEqual(call.pricing.charged_amount, "0.00000000");
        assert.equal(call.pricing.charged_amount, call.pricing.sale_amount);
        await assert.rejects(client.responses.retrieve(id), sdk.NotFoundError);
      }
    },
  },
];
