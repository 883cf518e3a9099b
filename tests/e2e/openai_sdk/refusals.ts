/**
 * Every error class, by status, and how often its request is sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk } from "../../support/chat_bodies.ts";
import { jsonReply, sseReply } from "../../support/fake_upstream.ts";
import { assertFails } from "./assert_fails.ts";
import { hello, type Scenario } from "./scene.ts";
import { type Asking, sharedRefusals } from "./shared_refusals.ts";

const CHAT: Asking = {
  ask: (client, fields, options) =>
    client.chat.completions.create({ messages: hello, ...fields } as never, options),
  modes: [{}, { stream: true }],
  async occupy({ upstream }, client) {
    upstream.answer(sseReply([
      chunk({ role: "assistant", content: "taking my time" }),
      "stall!",
    ]));
    const stream = await client.chat.completions.create({
      model: "plain",
      messages: hello,
      stream: true,
    });
    // A stream that nobody refers to is closed when garbage is collected.
    return () => stream.controller.abort();
  },
};

/** Every error class, by status, and how often its request is sent. */
export const REFUSALS: readonly Scenario[] = [
  ...sharedRefusals(CHAT),
  {
    name: "400 is BadRequestError, once",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      const expected = { class: "BadRequestError", status: 400, type: "invalid_request_error" };
      await assertFails(
        scene,
        client.chat.completions.create({ model: "echo-1", messages: [] }),
        { ...expected, code: "invalid_value", param: "messages" },
      );
      await assertFails(
        scene,
        client.chat.completions.create({ messages: hello } as never),
        { ...expected, code: "missing_required_parameter", param: "model" },
      );
      await assertFails(
        scene,
        client.chat.completions.create({ model: "vectors", messages: hello }),
        { ...expected, code: "invalid_value", param: "model" },
      );
      await assertFails(
        scene,
        client.chat.completions.create({
          model: "echo-1",
          messages: hello,
          ...{ route: "nobody/nothing" },
        }),
        { ...expected, code: "ROUTE_NOT_SELECTABLE", param: "route" },
      );
      scene.upstream.answer(jsonReply({
        error: { message: "Too hot", type: "x", code: "too_hot", param: "temperature" },
      }, { status: 400 }));
      const passed = await assertFails(
        scene,
        client.chat.completions.create({ model: "plain", messages: hello, temperature: 2 }),
        { ...expected, code: "too_hot", param: "temperature" },
      );
      assert.match(passed.message, /Too hot/);
      assert.equal(sent(), 5);
    },
  },
  {
    name: "401 and 404 of other paths, once",
    async run(scene) {
      const stranger = scene.counted(`sk-tg-${"x".repeat(43)}`);
      await assertFails(scene, stranger.client.models.list(), {
        class: "AuthenticationError",
        status: 401,
        code: "PROJECT_KEY_INVALID",
        type: "authentication_error",
        param: null,
      });
      assert.equal(stranger.sent(), 1);
      const { client, sent } = scene.counted(scene.key);
      const expected = { class: "NotFoundError", status: 404, type: "invalid_request_error" };
      await assertFails(scene, client.models.retrieve("gpt-none"), {
        ...expected,
        code: "model_not_found",
        param: "model",
      });
      await assertFails(scene, client.get("/nothing"), {
        ...expected,
        code: "not_found",
        param: null,
      });
      assert.equal(sent(), 2);
    },
  },
  {
    name: "405, 413 and 415 are plain APIErrors, once",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      const expected = { class: "APIError", type: "invalid_request_error", param: null };
      const wrongMethod = await assertFails(scene, client.post("/models", { body: {} }), {
        ...expected,
        status: 405,
        code: "method_not_allowed",
      });
      assert.equal(wrongMethod.headers?.get("allow"), "GET, HEAD");
      await assertFails(
        scene,
        client.chat.completions.create({
          model: "echo-1",
          messages: [{ role: "user", content: "x".repeat(200_000) }],
        }),
        { ...expected, status: 413, code: "request_too_large" },
      );
      await assertFails(
        scene,
        client.post("/chat/completions", {
          body: { model: "echo-1", messages: hello },
          headers: { "content-type": "text/plain" },
        }),
        { ...expected, status: 415, code: "unsupported_content_type" },
      );
      assert.equal(sent(), 3);
    },
  },
  {
    name: "422 of an upstream is UnprocessableEntityError, once",
    async run(scene) {
      scene.upstream.answer(jsonReply({ error: { message: "No", code: "odd" } }, { status: 422 }));
      const { client, sent } = scene.counted(scene.key);
      await assertFails(
        scene,
        client.chat.completions.create({ model: "plain", messages: hello }),
        {
          class: "UnprocessableEntityError",
          status: 422,
          code: "odd",
          type: "invalid_request_error",
          param: null,
        },
      );
      assert.equal(sent(), 1);
    },
  },
];
