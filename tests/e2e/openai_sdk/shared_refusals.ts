/**
 * Refusals that are the same whatever a chat model is asked for: by class and status,
 * and how often the request is sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import { assertFails, type ExpectedError } from "./assert_fails.ts";
import type { Client, Scenario, Scene } from "./scene.ts";

/** Fields of a request besides what is said. */
export interface AskFields {
  readonly model: string;
  readonly [field: string]: unknown;
}

/** How one path is asked. */
export interface Asking {
  ask(client: Client, fields: AskFields, options?: { maxRetries: number }): Promise<unknown>;
  /** Fields that make another kind of answer; each is refused alike. */
  readonly modes: readonly Readonly<Record<string, unknown>>[];
  /** Begins a call that goes on until what this gives is called. */
  occupy(scene: Scene, client: Client): Promise<() => unknown>;
}

const RETRY_AFTER = /^([1-9]|[1-5]\d|60)$/;

/** The scenarios for one path. */
export function sharedRefusals({ ask, modes, occupy }: Asking): readonly Scenario[] {
  async function assertRefused(
    scene: Scene,
    { key, fields, expected }: {
      readonly key: string;
      readonly fields: AskFields;
      readonly expected: ExpectedError;
    },
  ): Promise<void> {
    const { client, sent } = scene.counted(key);
    for (const mode of modes) {
      const { headers } = await assertFails(scene, ask(client, { ...fields, ...mode }), expected);
      if (expected.status === 402) assert.equal(headers?.get("x-should-retry"), "false");
    }
    assert.equal(sent(), modes.length);
  }
  return [
    {
      name: "401 is AuthenticationError, once",
      run: (scene) =>
        assertRefused(scene, {
          key: `sk-tg-${"x".repeat(43)}`,
          fields: { model: "echo-1" },
          expected: {
            class: "AuthenticationError",
            status: 401,
            code: "PROJECT_KEY_INVALID",
            type: "authentication_error",
            param: null,
          },
        }),
    },
    {
      name: "402 is a plain APIError, once",
      run: async (scene) =>
        assertRefused(scene, {
          key: await scene.gateway.key("broke"),
          fields: { model: "echo-1" },
          expected: {
            class: "APIError",
            status: 402,
            code: "INSUFFICIENT_BALANCE",
            type: "insufficient_quota",
            param: null,
          },
        }),
    },
    {
      name: "403 is PermissionDeniedError, once",
      run: async (scene) =>
        assertRefused(scene, {
          key: await scene.gateway.key("default", { models: ["slow"] }),
          fields: { model: "echo-1" },
          expected: {
            class: "PermissionDeniedError",
            status: 403,
            code: "MODEL_NOT_ALLOWED",
            type: "permission_error",
            param: "model",
          },
        }),
    },
    {
      name: "404 is NotFoundError, once",
      async run(scene) {
        const expected = { class: "NotFoundError", status: 404, type: "invalid_request_error" };
        await assertRefused(scene, {
          key: scene.key,
          fields: { model: "gpt-none" },
          expected: { ...expected, code: "model_not_found", param: "model" },
        });
        const policy = { source_policy: { exclude_risk_levels: ["low"] } };
        const unroutable = { ...expected, code: "NO_AVAILABLE_ROUTE", param: "source_policy" };
        await assertRefused(scene, {
          key: scene.key,
          fields: { model: "echo-1", ...policy },
          expected: unroutable,
        });
        const error = await assertFails(
          scene,
          ask(scene.client, { model: "echo-1", ...policy }),
          unroutable,
        );
        const { routes } = error.error as { routes: { route: string; reason: string }[] };
        assert.deepEqual(routes.map(({ route, reason }) => [route, reason]), [
          ["builtin/echo-1", "risk_level_excluded"],
        ]);
      },
    },
    {
      name: "429 is RateLimitError, after three attempts",
      async run(scene) {
        const key = await scene.gateway.key("single");
        const { client, sent } = scene.counted(key);
        const end = await occupy(scene, scene.counted(key).client);
        const error = await assertFails(scene, ask(client, { model: "echo-1" }), {
          class: "RateLimitError",
          status: 429,
          code: "POOL_LIMIT_EXCEEDED",
          type: "rate_limit_error",
          param: null,
        });
        assert.match(error.headers?.get("retry-after") ?? "", RETRY_AFTER);
        assert.equal(sent(), 3);
        await end();
      },
    },
    {
      name: "503 is InternalServerError, after three attempts",
      async run(scene) {
        const { client, sent } = scene.counted(scene.key);
        const error = await assertFails(scene, ask(client, { model: "busy", stream: true }), {
          class: "InternalServerError",
          status: 503,
          code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
          type: "server_error",
          param: null,
        });
        assert.match(error.headers?.get("retry-after") ?? "", RETRY_AFTER);
        assert.equal(sent(), 3);
      },
    },
    {
      name: "503 where every route is switched off",
      async run(scene) {
        await assertFails(scene, ask(scene.client, { model: "off" }, { maxRetries: 0 }), {
          class: "InternalServerError",
          status: 503,
          code: "NO_AVAILABLE_ROUTE",
          type: "server_error",
          param: null,
        });
      },
    },
  ];
}
