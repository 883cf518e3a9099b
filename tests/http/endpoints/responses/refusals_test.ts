/**
 * Requests of the Responses API that are refused: by status, code and parameter,
 * before anyone is asked, with nothing kept and nothing charged.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { answerBody } from "../../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import {
  keptResponses,
  type ResponsesGateway,
  startResponsesGateway,
} from "../../../support/responses_gateway.ts";

/** What is wrong, the fields that are, and what is answered. */
type Refusal = readonly [
  what: string,
  fields: JsonObject | string,
  param: string | null,
  code?: string,
  status?: number,
];

const user = (content: unknown) => ({ input: [{ role: "user", content }] });
const part = (fields: JsonObject) => user([{ type: "input_text", text: "Hi" }, fields]);
const tools = (...list: unknown[]) => ({ input: "Hi", tools: list });
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

const INPUTS: readonly Refusal[] = [
  ["nothing to answer", {}, "input", "missing_required_parameter"],
  ["no input", { input: null }, "input"],
  ["an empty text", { input: "" }, "input"],
  ["a number", { input: 7 }, "input"],
  ["an object", { input: {} }, "input"],
  ["no items", { input: [] }, "input"],
  ["an item that is a text", { input: ["Hi"] }, "input[0]"],
  ["an item that is nothing", { input: [null] }, "input[0]"],
  ["an item that is a list", { input: [[]] }, "input[0]"],
  ["an item of an unknown type", { input: [{ type: "telepathy" }] }, "input[0].type"],
  ["an item of a type that is none", { input: [{ type: 7 }] }, "input[0].type"],
  ["a very long type", { input: [{ type: "x".repeat(100_000) }] }, "input[0].type"],
  ["a second item that is wrong", { input: [{ role: "user", content: "a" }, 7] }, "input[1]"],
  ["10,000 items", { input: Array(10_000).fill({ role: "user", content: "a" }) }, "input"],
  ["a million items", { input: Array(1_000_000).fill(0) }, "input"],
  ["a million texts", { input: Array(1_000_000).fill("a") }, "input"],
  ["an unknown role", { input: [{ role: "king", content: "a" }] }, "input[0].role"],
  ["no role", { input: [{ content: "a" }] }, "input[0].role", "missing_required_parameter"],
  ["no content", { input: [{ role: "user" }] }, "input[0].content", "missing_required_parameter"],
  ["content that is a number", user(7), "input[0].content"],
  ["content that is an object", user({ type: "input_text" }), "input[0].content"],
  ["a part that is a text", user(["Hi"]), "input[0].content[0]"],
  [
    "a part of no type",
    part({ text: "a" }),
    "input[0].content[1].type",
    "missing_required_parameter",
  ],
  ["a part of an unknown type", part({ type: "smell" }), "input[0].content[1].type"],
  ["a text part of numbers", part({ type: "input_text", text: [1] }), "input[0].content[1].text"],
  [
    "an image that is not base64",
    part({ type: "input_image", image_url: "data:image/png;base64,@@@" }),
    "input[0].content[1].image_url",
  ],
  [
    "an image without data",
    part({ type: "input_image", image_url: "data:image/png;base64," }),
    "input[0].content[1].image_url",
  ],
  [
    "a large file with one bad character at its end",
    part({ type: "input_file", file_data: `data:text/plain;base64,${"A".repeat(4_000_000)}*` }),
    "input[0].content[1].file_data",
  ],
  [
    "a call without a name",
    { input: [{ type: "function_call", call_id: "c", arguments: "{}" }] },
    "input[0].name",
    "missing_required_parameter",
  ],
  [
    "a call whose arguments are no text",
    { input: [{ type: "function_call", call_id: "c", name: "f", arguments: {} }] },
    "input[0].arguments",
  ],
  [
    "an output without a call id",
    { input: [{ type: "function_call_output", output: "x" }] },
    "input[0].call_id",
    "missing_required_parameter",
  ],
  [
    "an output without output",
    { input: [{ type: "function_call_output", call_id: "c" }] },
    "input[0].output",
    "missing_required_parameter",
  ],
  [
    "an output without its call",
    { input: [{ role: "user", content: "a" }, output("call_x")] },
    "input[1].call_id",
  ],
  [
    "an output before its call",
    {
      input: [output("c"), { type: "function_call", call_id: "c", name: "f", arguments: "{}" }],
    },
    "input[0].call_id",
  ],
  [
    "an output of another kind of call",
    { input: [{ type: "custom_tool_call_output", call_id: "c", output: "x" }] },
    "input[0].call_id",
  ],
];

const FIELDS: readonly Refusal[] = [
  ["a model that is none", { model: "none", input: "Hi" }, "model", "model_not_found", 404],
  ["a model for embeddings", { model: "embed", input: "Hi" }, "model"],
  ["an empty model", { model: "", input: "Hi" }, "model"],
  ["no tokens", { input: "Hi", max_output_tokens: 0 }, "max_output_tokens"],
  ["tokens as a text", { input: "Hi", max_output_tokens: "10" }, "max_output_tokens"],
  ["a part of a token", { input: "Hi", max_output_tokens: 1.5 }, "max_output_tokens"],
  ["stream as a text", { input: "Hi", stream: "yes" }, "stream"],
  ["store as a number", { input: "Hi", store: 1 }, "store"],
  ["background as a text", { input: "Hi", background: "no" }, "background"],
  ["instructions as a list", { input: "Hi", instructions: [] }, "instructions"],
  ["an empty previous id", { input: "Hi", previous_response_id: "" }, "previous_response_id"],
  ["a previous id that is none", { input: "Hi", previous_response_id: 7 }, "previous_response_id"],
  [
    "a very long previous id",
    { input: "Hi", previous_response_id: "r".repeat(100_000) },
    "previous_response_id",
  ],
  [
    "a previous response that is not there",
    { input: "Hi", previous_response_id: `resp_${"a".repeat(40)}` },
    "previous_response_id",
    "previous_response_not_found",
  ],
  ["17 pairs of metadata", { input: "Hi", metadata: pairs(17) }, "metadata"],
  ["a metadata value that is a number", { input: "Hi", metadata: { a: 1 } }, "metadata.a"],
  [
    "a metadata value that is long",
    { input: "Hi", metadata: { a: "x".repeat(513) } },
    "metadata.a",
  ],
  ["metadata that is a list", { input: "Hi", metadata: ["a"] }, "metadata"],
  ["tools that are none", { input: "Hi", tools: {} }, "tools"],
  ["a tool that is none", tools(7), "tools[0]"],
  ["a tool without a type", tools({ name: "f" }), "tools[0].type", "missing_required_parameter"],
  ["a thousand and one tools", tools(...Array(1_001).fill({ type: "function" })), "tools"],
  ["a format that is none", { input: "Hi", text: { format: "json" } }, "text.format"],
  [
    "a format of a type that is none",
    { input: "Hi", text: { format: { type: 7 } } },
    "text.format.type",
  ],
  ["a source policy with a slip", { input: "Hi", source_policy: { max: 1 } }, "source_policy.max"],
  ["a conversation", { input: "Hi", conversation: "conv_1" }, "conversation", "not_supported"],
  [
    "a conversation and no input",
    { conversation: { id: "c" }, input: "Hi" },
    "conversation",
    "not_supported",
  ],
  ["a prompt template", { prompt: { id: "pmpt_1" } }, "prompt", "not_supported"],
  ["a prompt template and input", { prompt: { id: "p" }, input: "Hi" }, "prompt", "not_supported"],
  [
    "background and stream",
    { input: "Hi", background: true, stream: true },
    "stream",
    "not_supported",
  ],
  ["background and nothing kept", { input: "Hi", background: true, store: false }, "store"],
  ["a body that is a list", "[]", null],
  ["a body that is a text", `"Hi"`, null],
  ["a body that is cut", `{"model":"m","input":"Hi"`, null, "invalid_json"],
  ["a body that is deep", `{"input":${"[".repeat(300)}${"]".repeat(300)}}`, null, "invalid_json"],
];

function output(call_id: string): JsonObject {
  return { type: "function_call_output", call_id, output: "x" };
}

/** Refuses each of them, and leaves nothing behind. */
async function assertRefusals(
  gateway: ResponsesGateway,
  refusals: readonly Refusal[],
): Promise<void> {
  const before = await gateway.balance();
  const calls = await gateway.admin.storage.calls.lastCallId();
  for (const [what, fields, param, code = "invalid_value", status = 400] of refusals) {
    const modes = typeof fields === "string" || "stream" in fields || "background" in fields
      ? [{}]
      : [{}, { stream: true }, { background: true }];
    for (const mode of modes) {
      const body = typeof fields === "string" ? fields : { model: "m", ...fields, ...mode };
      const answer = await gateway.api("POST", "/responses", { body });
      const { error } = answer.body;
      assert.deepEqual(
        [answer.status, error.code, error.param, error.type],
        [status, code, param, "invalid_request_error"],
        `${what}: ${JSON.stringify(error).slice(0, 500)}`,
      );
      assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"], what);
      assert.ok(error.message.length < 400, what);
      assert.equal(answer.headers.get("content-type"), "application/json");
    }
  }
  assert.deepEqual(await keptResponses(gateway), []);
  assert.deepEqual(await gateway.balance(), before);
  assert.equal(await gateway.admin.storage.calls.lastCallId(), calls);
}

for (const [name, refusals] of [["input", INPUTS], ["other fields", FIELDS]] as const) {
  Deno.test(`POST responses refuses bad ${name} by name, and leaves nothing behind`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await startResponsesGateway(upstream.url);
    await assertRefusals(gateway, refusals);
    assert.equal(upstream.requests.length, 0);
    // It is the fields that are refused.
    const good = await gateway.respond({ input: "Hi", metadata: pairs(16), max_output_tokens: 5 });
    assert.equal(good.status, "completed");
  });
}

Deno.test("POST responses takes what clients send empty or null", async () => {
  await using gateway = await startResponsesGateway();
  const nothing = {
    instructions: null,
    previous_response_id: null,
    conversation: null,
    prompt: null,
    background: null,
    store: null,
    stream: null,
    metadata: null,
    max_output_tokens: null,
    tools: null,
    provider: null,
    source_policy: null,
    text: {},
  };
  const { status, store } = await gateway.respond({ model: "echo-1", input: "Hi", ...nothing });
  assert.deepEqual([status, store], ["completed", true]);
  const empty = await gateway.respond({
    model: "echo-1",
    input: [{ role: "user", content: "" }, { role: "user", content: [] }],
    tools: [],
    metadata: {},
  });
  assert.equal(empty.status, "completed");
});
