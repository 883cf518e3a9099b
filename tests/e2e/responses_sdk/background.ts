/**
 * Answers in the background: asked for, waited for, cancelled, deleted.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import { spoken } from "../../support/spoken_answer.ts";
import { assertFails } from "../openai_sdk/assert_fails.ts";
import type { Client, Scenario } from "../openai_sdk/scene.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { asSent, assertResponse, BOTH_KINDS, ECHO, HELLO, type Response } from "./scene.ts";

const INVALID = {
  class: "BadRequestError",
  status: 400,
  code: "invalid_value",
  type: "invalid_request_error",
};

function untilEnded(client: Client, id: string): Promise<Response> {
  return pollUntil({
    what: "the end of the answer",
    read: () => client.responses.retrieve(id),
    isThere: ({ status }) => status !== "queued" && status !== "in_progress",
  });
}

/** Asserts that an answer has begun, and no more. */
function assertQueued(response: Response): void {
  const sent = asSent(response);
  assertSatisfies(schemas, "Response", sent);
  assert.ok(sent.status === "queued" || sent.status === "in_progress");
  assert.deepEqual([sent.background, sent.output, sent.error], [true, [], null]);
}

/** Answers in the background. */
export const BACKGROUND: readonly Scenario[] = [
  {
    name: "background: create, retrieve until it is completed, go on from it",
    async run({ client, gateway, key }) {
      const metadata = { tenant: "blue" };
      const { data: queued, request_id } = await client.responses.create({
        model: "steady-alias",
        input: HELLO,
        metadata,
        background: true,
      }).withResponse();
      assertQueued(queued);
      assert.equal(queued.model, "steady");
      const done = await untilEnded(client, queued.id);
      assertResponse(asSent(done), "builtin/steady");
      assert.deepEqual([done.status, done.output_text, done.background], ["completed", ECHO, true]);
      assert.deepEqual([done.created_at, done.metadata], [queued.created_at, metadata]);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.state, call.result], ["settled", "completed"]);
      assert.equal(call.usage.total_tokens, done.usage!.total_tokens);
      // It has ended: there is nothing to cancel, and nothing changes.
      assert.deepEqual(asSent(await client.responses.cancel(queued.id)), asSent(done));
      const next = await client.responses.create({
        model: "echo-1",
        input: HELLO,
        previous_response_id: queued.id,
      });
      assert.equal(next.output_text, ECHO);
    },
  },
  {
    name: "background: a slow one is cancelled, and its call costs nothing",
    async run(scene) {
      const key = await scene.gateway.key("payer");
      const { client } = scene.counted(key);
      const { data: { id }, request_id } = await client.responses.create({
        model: "slow",
        input: HELLO,
        background: true,
      }).withResponse();
      assertQueued(await client.responses.retrieve(id));
      await assertFails(
        scene,
        client.responses.create({ model: "echo-1", input: HELLO, previous_response_id: id }),
        { ...INVALID, param: "previous_response_id" },
      );
      const cancelled = await client.responses.cancel(id);
      assert.deepEqual([cancelled.id, cancelled.status, cancelled.output], [id, "cancelled", []]);
      assertSatisfies(schemas, "Response", asSent(cancelled));
      const again = await client.responses.cancel(id);
      assert.deepEqual(asSent(again), asSent(cancelled));
      assert.deepEqual(asSent(await client.responses.retrieve(id)), asSent(cancelled));
      const call = await scene.gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.state, call.result, call.pricing.charged_amount], [
        "released",
        "client_aborted",
        "0.00000000",
      ]);
    },
  },
  {
    name: "background: one that is deleted while it is made is gone",
    async run({ client, gateway, key, sdk }) {
      const { data: { id }, request_id } = await client.responses.create({
        model: "slow",
        input: HELLO,
        background: true,
      }).withResponse();
      await client.responses.delete(id);
      await assert.rejects(client.responses.retrieve(id), sdk.NotFoundError);
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.state, call.result], ["released", "client_aborted"]);
    },
  },
  {
    name: "background: an upstream of either kind answers, or its failure is told",
    async run({ client, upstream }) {
      for (const model of BOTH_KINDS) {
        upstream.answer(spoken({ text: ["Done"] }));
        const base = { model, input: HELLO, background: true };
        const good = await untilEnded(client, (await client.responses.create(base)).id);
        assertResponse(asSent(good), `faulty/${model}`);
        assert.equal(good.output_text, "Done");
        upstream.answer({ status: 500, steps: ["{}"], framing: "length" });
        const bad = await untilEnded(client, (await client.responses.create(base)).id);
        assertSatisfies(schemas, "Response", asSent(bad));
        assert.deepEqual([bad.status, bad.error!.code], ["failed", "server_error"]);
        assert.ok(bad.error!.message.length > 10);
        assert.ok(!bad.error!.message.includes("127.0.0.1"));
      }
    },
  },
  {
    name: "background: not with a stream, not unstored; others cannot be cancelled",
    async run(scene) {
      const { client } = scene;
      const base = { model: "echo-1", input: HELLO, background: true };
      await assertFails(scene, client.responses.create({ ...base, store: false }), {
        ...INVALID,
        param: "store",
      });
      await assertFails(scene, client.responses.create({ ...base, stream: true }), {
        ...INVALID,
        code: "not_supported",
        param: "stream",
      });
      const { id } = await client.responses.create({ model: "echo-1", input: HELLO });
      await assertFails(scene, client.responses.cancel(id), { ...INVALID, param: null });
    },
  },
];
