/**
 * Every error class, by status, and how often its request is sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import { jsonReply } from "../../support/fake_upstream.ts";
import { assertFails } from "../openai_sdk/assert_fails.ts";
import type { Scenario } from "../openai_sdk/scene.ts";
import { type Asking, sharedRefusals } from "../openai_sdk/shared_refusals.ts";
import { HELLO, type InputItem } from "./scene.ts";

type Fields = Partial<seven.OpenAI.Responses.ResponseCreateParamsNonStreaming>;

const INVALID = { class: "BadRequestError", status: 400, type: "invalid_request_error" };

/** Fields that nobody can answer, with the code and the name of the field at fault. */
const WRONG_FIELDS: readonly (readonly [Fields, code: string, param: string])[] = [
  [{ input: undefined }, "missing_required_parameter", "input"],
  [{ input: "" }, "invalid_value", "input"],
  [{ input: [] }, "invalid_value", "input"],
  [{ model: undefined }, "missing_required_parameter", "model"],
  [{ model: "vectors" }, "invalid_value", "model"],
  [{ input: [{ type: "dance" } as never] }, "invalid_value", "input[0].type"],
  [{ input: [{ role: "boss" as never, content: "Hi" }] }, "invalid_value", "input[0].role"],
  [
    { input: [{ type: "function_call_output", call_id: "call_none", output: "x" }] },
    "invalid_value",
    "input[0].call_id",
  ],
  [
    {
      input: [user({ type: "input_image", detail: "auto", image_url: "data:image/png;base64,@" })],
    },
    "invalid_value",
    "input[0].content[0].image_url",
  ],
  [{ previous_response_id: "resp_none" }, "previous_response_not_found", "previous_response_id"],
  [{ conversation: "conv_1" }, "not_supported", "conversation"],
  [{ prompt: { id: "pmpt_1" } }, "not_supported", "prompt"],
  [{ max_output_tokens: 0 }, "invalid_value", "max_output_tokens"],
  [{ metadata: { long: "x".repeat(600) } }, "invalid_value", "metadata.long"],
  [{ tool_choice: "required" }, "invalid_value", "tool_choice"],
  [{ route: "nobody/nothing" } as Fields, "ROUTE_NOT_SELECTABLE", "route"],
];

/** What an upstream that only has chat cannot do, with the word by which it is refused. */
const NOT_IN_CHAT: readonly (readonly [Fields, param: string, word: RegExp])[] = [
  [
    { input: [user({ type: "input_image", detail: "auto", file_id: "file-1" })] },
    "input[0].content[0].file_id",
    /file_id/,
  ],
  [
    { input: [user({ type: "input_file", file_url: "https://example.com/a.pdf" })] },
    "input[0].content[0].file_url",
    /file_url/,
  ],
  [
    { input: [{ type: "item_reference", id: "msg_none" }] },
    "input[0].id",
    /msg_none/,
  ],
];

function user(part: seven.OpenAI.Responses.ResponseInputContent): InputItem {
  return { role: "user", content: [part] };
}

const RESPONSES: Asking = {
  ask: (client, fields, options) =>
    client.responses.create({ input: HELLO, ...fields } as never, options),
  modes: [{}, { stream: true }, { background: true }],
  async occupy(_scene, client) {
    const { id } = await client.responses.create({ model: "slow", input: HELLO, background: true });
    return async () => {
      await client.responses.cancel(id);
      await client.responses.create({ model: "echo-1", input: HELLO });
    };
  },
};

/** Every error class. */
export const REFUSALS: readonly Scenario[] = [
  ...sharedRefusals(RESPONSES),
  {
    name: "400 is BadRequestError with the field at fault, once",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      for (const [fields, code, param] of WRONG_FIELDS) {
        await assertFails(
          scene,
          client.responses.create({ model: "echo-1", input: HELLO, ...fields }),
          { ...INVALID, code, param },
        );
      }
      assert.equal(sent(), WRONG_FIELDS.length);
    },
  },
  {
    name: "400 names what a model that only has chat cannot do",
    async run(scene) {
      const { client, sent } = scene.counted(scene.key);
      const asked = scene.upstream.requests.length;
      for (const [fields, param, word] of NOT_IN_CHAT) {
        const error = await client.responses.create({ model: "plain", input: HELLO, ...fields })
          .then(() => assert.fail(`${word} was accepted`), (thrown) => thrown);
        assert.ok(error instanceof scene.sdk.BadRequestError, String(error));
        assert.equal(error.param, param);
        assert.match(error.message, word);
      }
      assert.equal(sent(), NOT_IN_CHAT.length);
      assert.equal(scene.upstream.requests.length, asked);
    },
  },
  {
    name: "tools that only a server can run are refused by name where there is only chat",
    async run(scene) {
      const { client } = scene.counted(scene.key);
      const asked = scene.upstream.requests.length;
      for (const model of ["plain", "echo-1"]) {
        for (const type of ["web_search", "code_interpreter", "image_generation"]) {
          const error = await client.responses.create({
            model,
            input: HELLO,
            tools: [{ type } as never],
          }, { maxRetries: 0 }).then(() => assert.fail(`${type} was dropped`), (thrown) => thrown);
          assert.ok(error instanceof scene.sdk.APIError, String(error));
          assert.ok(error.status === 400 || error.status === 404, String(error.status));
          assert.ok(JSON.stringify(error.error).includes(type), JSON.stringify(error.error));
        }
      }
      assert.equal(scene.upstream.requests.length, asked);
    },
  },
  {
    name: "a caller's error of an upstream of either kind passes through",
    async run(scene) {
      scene.upstream.answer(jsonReply({
        error: { message: "Too hot", type: "x", code: "too_hot", param: "temperature" },
      }, { status: 400 }));
      for (const model of ["native", "plain"]) {
        for (const stream of [false, true]) {
          const { client, sent } = scene.counted(scene.key);
          const error = await assertFails(
            scene,
            client.responses.create({ model, input: HELLO, temperature: 2, stream }),
            { ...INVALID, code: "too_hot", param: "temperature" },
          );
          assert.match(error.message, /Too hot/);
          assert.equal(sent(), 1);
        }
      }
    },
  },
  {
    name: "401 and 404 of kept answers, once",
    async run(scene) {
      const stranger = scene.counted(`sk-tg-${"x".repeat(43)}`);
      await assertFails(scene, stranger.client.responses.retrieve("resp_none"), {
        class: "AuthenticationError",
        status: 401,
        code: "PROJECT_KEY_INVALID",
        type: "authentication_error",
        param: null,
      });
      assert.equal(stranger.sent(), 1);
      const { client, sent } = scene.counted(scene.key);
      await assertFails(scene, client.responses.retrieve("resp_none"), {
        class: "NotFoundError",
        status: 404,
        code: "response_not_found",
        type: "invalid_request_error",
        param: null,
      });
      assert.equal(sent(), 1);
    },
  },
];
