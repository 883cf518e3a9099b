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

/** Every error class, by status, and how often its request is sent. */
export const REFUSALS: readonly Scenario[] = [
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
        client.chat.completions.create({ model: "remote", messages: hello, temperature: 2 }),
        { ...expected, code: "too_hot", param: "temperature" },
      );
      assert.match(passed.message, /Too hot/);
      assert.equal(sent(), 5);
    },
  },
  {
    name: "401 is AuthenticationError, once",
    async run(scene) {
      const { client, sent } = scene.counted(`sk-tg-${"x".repeat(43)}`);
      await assertFails(scene, client.models.list(), {
        class: "AuthenticationError",
        status: 401,
        code: "PROJECT_KEY_INVALID",
        type: "authentication_error",
        param: null,
      });
      assert.equal(sent(), 1);
    },
  },
  {
    name: "402 is a plain APIError, once",
    async run(scene) {
      const { client, sent } = scene.counted(await scene.gateway.key("broke"));
      const error = await assertFails(
        scene,
        client.chat.completions.create({ model: "echo-1", messages: hello }),
        {
          class: "APIError",
          status: 402,
          code: "INSUFFICIENT_BALANCE",
          type: "insufficient_quota",
          param: null,
        },
      );
      assert.equal(error.headers?.get("x-should-retry"), "false");
      assert.equal(sent(), 1);
    },
  },
  {
    name: "403 is PermissionDeniedError, once",
    async run(scene) {
      const { client, sent } = scene.counted(
        await scene.gateway.key("default", { models: "slow" }),
      );
      await assertFails(
        scene,
        client.chat.completions.create({ model: "echo-1", messages: hello }),
        {
          class: "PermissionDeniedError",
          status: 403,
          code: "MODEL_NOT_ALLOWED",
          type: "permission_error",
          param: "model",
        },
      );
      assert.equal(sent(), 1);
    },
  },
  {
    name: "404 is NotFoundError, once",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      const expected = { class: "NotFoundError", status: 404, type: "invalid_request_error" };
      await assertFails(
        scene,
        client.chat.completions.create({ model: "gpt-none", messages: hello }),
        { ...expected, code: "model_not_found", param: "model" },
      );
      await assertFails(scene, client.models.retrieve("gpt-none"), {
        ...expected,
        code: "model_not_found",
        param: "model",
      });
      const error = await assertFails(
        scene,
        client.chat.completions.create({
          model: "echo-1",
          messages: hello,
          ...{ source_policy: { exclude_risk_levels: ["low"] } },
        }),
        {
          ...expected,
          code: "NO_AVAILABLE_ROUTE",
          param: "source_policy",
        },
      );
      assert.deepEqual(
        (error.error as { routes: { route: string; reason: string }[] }).routes.map((
          { route, reason },
        ) => [route, reason]),
        [["builtin/echo-1", "risk_level_excluded"]],
      );
      await assertFails(scene, client.get("/nothing"), {
        ...expected,
        code: "not_found",
        param: null,
      });
      assert.equal(sent(), 4);
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
        client.chat.completions.create({ model: "remote", messages: hello }),
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
  {
    name: "429 is RateLimitError, after three attempts",
    async run(scene) {
      const { client, sent } = scene.counted(await scene.gateway.key("single"));
      scene.upstream.answer(sseReply([
        chunk({ role: "assistant", content: "taking my time" }),
        "stall!",
      ]));
      const holder = await client.chat.completions.create({
        model: "remote",
        messages: hello,
        stream: true,
      });
      const error = await assertFails(
        scene,
        client.chat.completions.create({ model: "echo-1", messages: hello }),
        {
          class: "RateLimitError",
          status: 429,
          code: "POOL_LIMIT_EXCEEDED",
          type: "rate_limit_error",
          param: null,
        },
      );
      assert.match(error.headers?.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
      assert.equal(sent(), 1 + 3);
      holder.controller.abort();
    },
  },
  {
    name: "503 is InternalServerError, after three attempts",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      const error = await assertFails(
        scene,
        client.chat.completions.create({ model: "busy", messages: hello }),
        {
          class: "InternalServerError",
          status: 503,
          code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
          type: "server_error",
          param: null,
        },
      );
      assert.match(error.headers?.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
      assert.equal(sent(), 3);
    },
  },
  {
    name: "503 where every route is switched off",
    async run(scene) {
      await assertFails(
        scene,
        scene.client.chat.completions.create({ model: "off", messages: hello }, { maxRetries: 0 }),
        {
          class: "InternalServerError",
          status: 503,
          code: "NO_AVAILABLE_ROUTE",
          type: "server_error",
          param: null,
        },
      );
    },
  },
];
