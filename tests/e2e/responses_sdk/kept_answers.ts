/**
 * Answers that are kept: conversations that go on from them, retrieving, listing
 * what was asked, deleting.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import { spoken } from "../../support/spoken_answer.ts";
import { assertFails } from "../openai_sdk/assert_fails.ts";
import type { Scenario } from "../openai_sdk/scene.ts";
import {
  asSent,
  assertResponse,
  BOTH_KINDS,
  collect,
  ECHO,
  HELLO,
  lastResponse,
  WEATHER,
} from "./scene.ts";

const NOT_FOUND = {
  class: "NotFoundError",
  status: 404,
  code: "response_not_found",
  type: "invalid_request_error",
  param: null,
};
const DANGLING = {
  class: "BadRequestError",
  status: 400,
  code: "previous_response_not_found",
  type: "invalid_request_error",
  param: "previous_response_id",
};

/** Who said what, of a request as an upstream got it: its words, whatever their form. */
function turnsOf(body: Record<string, unknown>): string[] {
  const turns = (body.messages ?? body.input) as { role: string; content: unknown }[];
  return turns.map(({ role, content }) => {
    const parts = typeof content === "string" ? [{ text: content }] : content as { text: string }[];
    return `${role}: ${parts.map(({ text }) => text).join("")}`;
  });
}

/** Answers that are kept. */
export const KEPT_ANSWERS: readonly Scenario[] = [
  {
    name: "a conversation of three turns, whatever the upstream remembers",
    async run({ client, upstream }) {
      for (const model of BOTH_KINDS) {
        const ids: string[] = [];
        for (const [turn, input] of ["One?", "Two?", "Three?"].entries()) {
          upstream.answer(spoken({ text: [`Answer ${turn}`] }));
          const base = {
            model,
            input,
            ...(turn === 0 && { instructions: "Count" }),
            ...(turn > 0 && { previous_response_id: ids.at(-1)! }),
          };
          // The second turn is a stream, which is kept all the same.
          const answer = turn === 1
            ? lastResponse(await collect(await client.responses.create({ ...base, stream: true })))
            : asSent(await client.responses.create(base));
          assertResponse(answer, `faulty/${model}`);
          assert.equal(answer.previous_response_id, ids.at(-1) ?? null);
          ids.push(answer.id);
        }
        assert.equal(new Set(ids).size, 3);
        const [first, , third] = upstream.requests.slice(-3).map((request) => request.json());
        assert.deepEqual(turnsOf(third!), [
          "user: One?",
          "assistant: Answer 0",
          "user: Two?",
          "assistant: Answer 1",
          "user: Three?",
        ]);
        for (const field of ["previous_response_id", "background", "conversation"]) {
          assert.ok(!(field in third!), field);
        }
        assert.notEqual(third!.store, true);
        // Instructions are of their turn alone.
        assert.ok(JSON.stringify(first).includes("Count"));
        assert.ok(!JSON.stringify(third).includes("Count"));
        // A conversation branches where one goes on from an earlier answer.
        upstream.answer(spoken({ text: ["Other"] }));
        await client.responses.create({ model, input: "Else?", previous_response_id: ids[0]! });
        assert.deepEqual(turnsOf(upstream.requests.at(-1)!.json()), [
          "user: One?",
          "assistant: Answer 0",
          "user: Else?",
        ]);
      }
    },
  },
  {
    name: "a kept answer is retrieved as it was sent, until it is deleted",
    async run(scene) {
      const { client } = scene;
      const created = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        metadata: { tenant: "blue" },
      });
      const kept = await client.responses.retrieve(created.id);
      assert.equal(kept.output_text, ECHO);
      assert.deepEqual(asSent(kept), asSent(created));
      const next = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        previous_response_id: created.id,
      });
      const { response } = await client.responses.delete(created.id).withResponse();
      assert.equal(response.status, 200);
      for (
        const ask of [
          () => client.responses.retrieve(created.id),
          () => client.responses.delete(created.id),
          () => client.responses.cancel(created.id),
          () => client.responses.inputItems.list(created.id),
        ]
      ) await assertFails(scene, ask(), NOT_FOUND);
      // What was built upon it is kept, and cannot be gone on from.
      assert.equal((await client.responses.retrieve(next.id)).output_text, ECHO);
      for (const previous_response_id of [created.id, next.id]) {
        await assertFails(
          scene,
          client.responses.create({ model: "echo-1", input: HELLO, previous_response_id }),
          DANGLING,
        );
      }
    },
  },
  {
    name: "store: false keeps nothing, whole or streamed",
    async run(scene) {
      const { client } = scene;
      const base = { model: "echo-1", input: HELLO, store: false };
      const whole = await client.responses.create(base);
      const streamed = lastResponse(
        await collect(await client.responses.create({ ...base, stream: true })),
      );
      for (const answer of [whole, streamed]) {
        assertResponse(asSent(answer));
        assert.equal((answer as { store?: boolean }).store, false);
        await assertFails(scene, client.responses.retrieve(answer.id), NOT_FOUND);
        await assertFails(
          scene,
          client.responses.create({
            model: "echo-1",
            input: HELLO,
            previous_response_id: answer.id,
          }),
          DANGLING,
        );
      }
    },
  },
  {
    name: "another project's answer is as one that never was",
    async run(scene) {
      const { id } = await scene.client.responses.create({ model: "echo-1", input: HELLO });
      const { client } = scene.counted(await scene.gateway.key("other"));
      await assertFails(scene, client.responses.retrieve(id), NOT_FOUND);
      await assertFails(scene, client.responses.delete(id), NOT_FOUND);
      await assertFails(scene, client.responses.inputItems.list(id), NOT_FOUND);
      await assertFails(
        scene,
        client.responses.create({ model: "echo-1", input: HELLO, previous_response_id: id }),
        DANGLING,
      );
      assert.equal((await scene.client.responses.retrieve(id)).id, id);
    },
  },
  {
    name: "inputItems.list pages through what was asked",
    async run(scene) {
      const { client } = scene;
      const call_id = "call_7";
      const { id } = await client.responses.create({
        model: "echo-1",
        tools: [WEATHER],
        input: [
          { role: "developer", content: "Be kind" },
          { role: "user", content: [{ type: "input_text", text: HELLO }] },
          { role: "assistant", content: "Well" },
          { type: "function_call", call_id, name: "get_weather", arguments: "{}" },
          { type: "function_call_output", call_id, output: "Rain" },
        ],
      });
      const raw = await client.get(`/responses/${id}/input_items`) as object;
      assertSatisfies(schemas, "ResponseItemList", raw);
      const asked = ["message", "message", "message", "function_call", "function_call_output"];
      for (const order of ["asc", "desc"] as const) {
        const all = [];
        for await (const item of client.responses.inputItems.list(id, { limit: 2, order })) {
          all.push(item);
        }
        assert.deepEqual(all.map(({ type }) => type), order === "asc" ? asked : asked.toReversed());
        assert.equal(new Set(all.map((item) => item.id)).size, asked.length);
        const [first] = order === "asc" ? all : all.toReversed();
        assert.ok(first?.type === "message");
        assert.deepEqual(first.content, [{ type: "input_text", text: "Be kind" }]);
      }
      const page = await client.responses.inputItems.list(id, { limit: 2, order: "asc" });
      assert.equal(page.has_more, true);
      assert.deepEqual(page.data.map(({ type }) => type), ["message", "message"]);
      const wrong = { class: "BadRequestError", status: 400, type: "invalid_request_error" };
      await assertFails(scene, client.responses.inputItems.list(id, { limit: 101 }), {
        ...wrong,
        code: "invalid_value",
        param: "limit",
      });
      await assertFails(scene, client.responses.inputItems.list(id, { after: "msg_none" }), {
        ...wrong,
        code: "invalid_value",
        param: "after",
      });
    },
  },
  {
    name: "the items of a text are one message",
    async run({ client }) {
      const { id } = await client.responses.create({ model: "echo-1", input: HELLO });
      const { data, has_more } = await client.responses.inputItems.list(id);
      assert.equal(has_more, false);
      assert.deepEqual(data.map(({ id: _id, ...item }) => item), [{
        type: "message",
        role: "user",
        status: "completed",
        content: [{ type: "input_text", text: HELLO }],
      }]);
    },
  },
];
