/**
 * Streams that break, and what is asked besides messages, as Anthropic's clients see it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply } from "../../support/fake_upstream.ts";
import {
  type Block,
  FULL_USAGE,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";
import { until } from "../../support/until.ts";
import { additionsOf, HELLO, type Scenario, SPARES } from "./scene.ts";

const EVENTS = messageEvents([{ type: "text", text: "Hello to you, too.", citations: null }], {
  usage: FULL_USAGE,
});
/** Up to the first half of the text. */
const BEGUN = EVENTS.slice(0, 4);

export const HARDSHIPS: readonly Scenario[] = [
  {
    name: "a stream that its upstream cuts, or ends with an error, ends as an error",
    async run({ sdk, client, upstream }) {
      const overloaded = {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      };
      for (const [model, last] of [["spare-1", "cut!"], ["spare-2", overloaded]] as const) {
        upstream.answer(messageReply([...BEGUN, last]));
        const events: Block[] = [];
        await assert.rejects(async () => {
          const stream = await client.messages.create({ ...HELLO, model, stream: true });
          for await (const event of stream) events.push(event as unknown as Block);
        }, (error: unknown) => {
          assert.ok(error instanceof sdk.APIError, String(error));
          assert.match(error.message, /incomplete/);
          return true;
        });
        const kinds = events.map(({ type }) => type);
        assert.deepEqual(kinds.slice(-2), ["content_block_delta", "content_block_stop"]);
        assert.ok(!kinds.includes("message_stop"));
      }
    },
  },
  {
    name: "an error before any output is an answer, and no stream",
    async run({ sdk, client, upstream }) {
      upstream.answer(messageReply([EVENTS[0]!, {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      }]));
      await assert.rejects(
        client.messages.create({ ...HELLO, model: "spare-3", stream: true }),
        (error: unknown) => error instanceof sdk.APIError && error.status === 529,
      );
    },
  },
  {
    name: "a stream whose end the upstream forgets has one all the same",
    async run({ client, upstream }) {
      const open = EVENTS.slice(0, -1);
      for (const rest of [[], [{ type: "ping" }, { type: "ping" }, "stall!" as const]]) {
        upstream.answer(messageReply([...open, ...rest]));
        const message = await client.messages.stream(HELLO).finalMessage();
        assert.equal(message.stop_reason, "end_turn");
        assert.equal(additionsOf(message).provider ?? "claude", "claude");
      }
    },
  },
  {
    name: "a caller that leaves ends the upstream's work and pays for what it got",
    async run({ gateway, client, upstream }) {
      upstream.answer(messageReply([...BEGUN, "stall!"]));
      const before = upstream.requests.length;
      const { data: stream, request_id: id } = await client.messages
        .create({ ...HELLO, stream: true }).withResponse();
      for await (const event of stream) {
        if (event.type === "content_block_delta") break;
      }
      await upstream.requests[before]!.closed;
      const call = await until("the call to be settled", async () => {
        const found = await gateway.get(`/v1/calls/${id}`, client.apiKey!);
        return found.state === "settled" ? found : undefined;
      });
      assert.equal(call.result, "client_aborted");
      assert.equal(call.work.cache_write_1h, 200);
      assert.ok(call.work.output < 20);
    },
  },
  {
    name: "tokens are counted by the upstream, for nothing",
    async run({ client, upstream }) {
      upstream.answer(jsonReply({ input_tokens: 2_095, context_management: null }));
      const { max_tokens: _, ...question } = HELLO;
      const count = await client.messages.countTokens(question);
      assert.equal(count.input_tokens, 2_095);
      const request = upstream.requests.at(-1)!;
      assert.equal(request.target, "/v1/messages/count_tokens");
      assert.deepEqual(request.json(), { ...question, model: "claude-upstream" });
      // One that has no such question says nothing of its route.
      upstream.answer(jsonReply({}, { status: 404 }));
      assert.ok((await client.messages.countTokens(question)).input_tokens > 2);
    },
  },
  {
    name: "models are listed as Anthropic lists them, to who asks as its clients do",
    async run({ gateway, client }) {
      const page = await client.models.list({ limit: 1_000 });
      assert.equal(page.data[0]!.display_name, page.data[0]!.id);
      assert.ok(page.data.every(({ type }) => type === "model"));
      const ids = ["both", "glm", "sonnet", ...SPARES].sort();
      assert.deepEqual(page.data.map(({ id }) => id).sort(), ids);
      assert.equal(page.has_more, false);
      const model = await client.models.retrieve("claude-sonnet-9");
      assert.deepEqual([model.id, model.max_tokens, model.max_input_tokens], [
        "sonnet",
        64_000,
        1_000_000,
      ]);
      const openAi = await gateway.get("/v1/models", client.apiKey!);
      assert.equal(openAi.object, "list");
    },
  },
  {
    name: "what is not there is refused as Anthropic would",
    async run({ sdk, gateway, client }) {
      await assert.rejects(
        client.messages.batches.list(),
        (error: unknown) => error instanceof sdk.NotFoundError,
      );
      const headers = { "anthropic-version": "2023-06-01", "x-api-key": client.apiKey! };
      for (const path of ["/v1/messages?beta=true", "/api/gateway/v1/messages"]) {
        const response = await fetch(gateway.url + path, { headers });
        assert.equal(response.status, 405);
        assert.equal((await response.json()).error.type, "invalid_request_error");
      }
    },
  },
];
