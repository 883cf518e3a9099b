import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { toChatMessages } from "../../support/responses_over_chat.ts";

const OPTIONS = { instructions: undefined, keepsReasoning: true };
const user = (content: unknown) => ({ role: "user", content });
const call = (id: string, name = "f") => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: `{"of":"${id}"}`,
  status: "completed",
});
const output = (id: string, text: unknown = `did ${id}`) => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});
const chatCall = (id: string, name = "f") => ({
  id,
  type: "function",
  function: { name, arguments: `{"of":"${id}"}` },
});
const tool = (id: string, content = `did ${id}`) => ({ role: "tool", tool_call_id: id, content });
const said = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const thought = (text: string) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text }],
});

const PNG = "data:image/png;base64,iVBORw0KGgo=";

const CONVERTED: readonly [string, readonly JsonObject[], readonly JsonObject[]][] = [
  ["a string", [user("Hi")], [user("Hi")]],
  ["one text part, for servers that take no parts", [
    user([{ type: "input_text", text: "Hi" }]),
  ], [user("Hi")]],
  ["no parts", [user([])], [user("")]],
  ["an image as a tool's output, which chat takes from users alone", [
    call("1"),
    call("2"),
    output("1", [{ type: "input_text", text: "seen" }, { type: "input_image", image_url: PNG }]),
    output("2"),
  ], [
    { role: "assistant", content: null, tool_calls: [chatCall("1"), chatCall("2")] },
    tool("1", "seen"),
    tool("2"),
    user([
      { type: "text", text: "What the call 1 gave:" },
      { type: "image_url", image_url: { url: PNG } },
    ]),
  ]],
  ["text and images", [user([
    { type: "input_text", text: "What?" },
    { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" },
    { type: "input_image", image_url: PNG, detail: "low" },
    { type: "input_image", image_url: PNG, detail: "original", file_id: null },
  ])], [user([
    { type: "text", text: "What?" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    { type: "image_url", image_url: { url: PNG, detail: "low" } },
    { type: "image_url", image_url: { url: PNG, detail: "high" } },
  ])]],
  ["a file as data, and audio", [user([
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav", vendor_field: 1 } },
  ])], [user([
    {
      type: "file",
      file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
    },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav", vendor_field: 1 } },
  ])]],
  ["system and developer", [
    { role: "system", content: "A" },
    {
      role: "developer",
      content: [{ type: "input_text", text: "B" }, { type: "input_text", text: "C" }],
    },
    user("Hi"),
  ], [{ role: "system", content: "A" }, { role: "system", content: "BC" }, user("Hi")]],
  ["an answer with a refusal", [
    user("Hi"),
    {
      role: "assistant",
      content: [{ type: "output_text", text: "Well: " }, { type: "refusal", refusal: "no" }],
    },
    user("Why?"),
  ], [user("Hi"), { role: "assistant", content: "Well: no" }, user("Why?")]],
  ["two answers in a row", [user("Hi"), said("A"), said("B")], [
    user("Hi"),
    { role: "assistant", content: "A" },
    { role: "assistant", content: "B" },
  ]],
  ["a call and its output", [user("Hi"), call("1"), output("1")], [
    user("Hi"),
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1"),
  ]],
  ["several calls of one turn", [
    user("Hi"),
    said("Let me"),
    call("1"),
    call("2"),
    output("2"),
    output("1"),
  ], [
    user("Hi"),
    { role: "assistant", content: "Let me", tool_calls: [chatCall("1"), chatCall("2")] },
    tool("2"),
    tool("1"),
  ]],
  ["calls of several turns", [
    user("Hi"),
    call("1"),
    output("1"),
    call("2"),
    output("2"),
    said("Done"),
  ], [
    user("Hi"),
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1"),
    { role: "assistant", content: null, tool_calls: [chatCall("2")] },
    tool("2"),
    { role: "assistant", content: "Done" },
  ]],
  [
    "text behind the calls of its turn",
    [user("Hi"), said("A"), call("1"), said("B"), output("1")],
    [
      user("Hi"),
      { role: "assistant", content: "A\n\nB", tool_calls: [chatCall("1")] },
      tool("1"),
    ],
  ],
  ["an output that comes late: chat wants it right behind the call", [
    call("1"),
    user("Well?"),
    output("1"),
  ], [
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1"),
    user("Well?"),
  ]],
  ["an id that is used again after its output", [
    call("1"),
    output("1", "a"),
    call("1"),
    output("1", "b"),
  ], [
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1", "a"),
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1", "b"),
  ]],
  ["an output in parts", [
    call("1"),
    output("1", [
      { type: "input_text", text: "a" },
      { type: "input_text", text: "b" },
    ]),
  ], [{ role: "assistant", content: null, tool_calls: [chatCall("1")] }, tool("1", "a\nb")]],
  ["custom tools", [
    { type: "custom_tool_call", call_id: "1", name: "sql", input: "select 1" },
    { type: "custom_tool_call_output", call_id: "1", output: "1" },
  ], [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "custom", custom: { name: "sql", input: "select 1" } }],
    },
    tool("1", "1"),
  ]],
  ["thoughts that led to a call", [user("Hi"), thought("Hm"), call("1"), output("1")], [
    user("Hi"),
    { role: "assistant", content: null, tool_calls: [chatCall("1")], reasoning_content: "Hm" },
    tool("1"),
  ]],
  ["thoughts in content rather than summary", [
    { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm" }] },
    call("1"),
    output("1"),
  ], [
    { role: "assistant", content: null, tool_calls: [chatCall("1")], reasoning_content: "Hm" },
    tool("1"),
  ]],
  ["thoughts that led to an answer, which nobody needs again", [
    user("Hi"),
    thought("Hm"),
    said("A"),
    user("B"),
  ], [
    user("Hi"),
    { role: "assistant", content: "A" },
    user("B"),
  ]],
  ["thoughts that led to nothing", [user("Hi"), thought("Hm"), user("B")], [user("Hi"), user("B")]],
  ["thoughts between two calls", [call("1"), thought("Hm"), call("2"), output("1"), output("2")], [
    { role: "assistant", content: null, tool_calls: [chatCall("1")] },
    tool("1"),
    { role: "assistant", content: null, tool_calls: [chatCall("2")], reasoning_content: "Hm" },
    tool("2"),
  ]],
  ["encrypted thoughts", [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "Hm" }],
      encrypted_content: "x",
    },
    call("1"),
    output("1"),
  ], [{ role: "assistant", content: null, tool_calls: [chatCall("1")] }, tool("1")]],
];
for (const [name, items, expected] of CONVERTED) {
  Deno.test(`toChatMessages() converts ${name}`, () => {
    const before = structuredClone(items);
    assert.deepEqual(toChatMessages(items, OPTIONS), expected);
    assert.deepEqual(items, before);
  });
}

const REFUSED: readonly [string, unknown, string, string][] = [
  ["an item that is no object", ["Hi"], "input[0]", "invalid_value"],
  ["an unknown item", [user("a"), { type: "telepathy" }], "input[1].type", "not_supported"],
  ["an item of a server's tool", [{ type: "web_search_call" }], "input[0].type", "not_supported"],
  [
    "an item reference",
    [{ type: "item_reference", id: "msg_1" }],
    "input[0].type",
    "not_supported",
  ],
  ["a role of another world", [{ role: "tool", content: "a" }], "input[0].role", "invalid_value"],
  ["content of another shape", [user(5)], "input[0].content", "invalid_value"],
  ["an unknown part", [user([{ type: "smell" }])], "input[0].content[0].type", "not_supported"],
  [
    "text that is none",
    [user([{ type: "input_text" }])],
    "input[0].content[0].text",
    "invalid_value",
  ],
  [
    "an image by id",
    [user([{ type: "input_image", file_id: "f" }])],
    "input[0].content[0].file_id",
    "not_supported",
  ],
  [
    "an image without source",
    [user([{ type: "input_image" }])],
    "input[0].content[0].image_url",
    "invalid_value",
  ],
  [
    "an image whose base64 is none",
    [user([{ type: "input_image", image_url: "data:image/png;base64,***" }])],
    "input[0].content[0].image_url",
    "invalid_value",
  ],
  [
    "a file by id",
    [user([{ type: "input_file", file_id: "f" }])],
    "input[0].content[0].file_id",
    "not_supported",
  ],
  [
    "a file by URL",
    [user([{ type: "input_file", file_url: "https://a" }])],
    "input[0].content[0].file_url",
    "not_supported",
  ],
  [
    "an image from the assistant",
    [{ role: "assistant", content: [{ type: "input_image", image_url: PNG }] }],
    "input[0].content[0].type",
    "not_supported",
  ],
  [
    "an output that is no text",
    [call("1"), output("1", { a: 1 })],
    "input[1].output",
    "invalid_value",
  ],
  ["an output without its call", [user("Hi"), output("1")], "input[1]", "invalid_value"],
  ["an output before its call", [output("1"), call("1")], "input[0]", "invalid_value"],
  ["a second output", [call("1"), output("1"), output("1")], "input[2]", "invalid_value"],
  ["a call without its output", [call("1"), user("Hi")], "input[0]", "invalid_value"],
  ["two open calls of one id", [call("1"), call("1")], "input[1].call_id", "invalid_value"],
  [
    "a call without id",
    [{ type: "function_call", name: "f", arguments: "{}" }],
    "input[0].call_id",
    "invalid_value",
  ],
  [
    "a call without name",
    [{ type: "function_call", call_id: "1", arguments: "{}" }],
    "input[0].name",
    "invalid_value",
  ],
  [
    "a call without arguments",
    [{ type: "function_call", call_id: "1", name: "f" }],
    "input[0].arguments",
    "invalid_value",
  ],
];
for (const [name, items, param, code] of REFUSED) {
  Deno.test(`toChatMessages() refuses ${name}`, () => {
    assert.throws(() => toChatMessages(items, OPTIONS), (error: JsonObject) => {
      assert.deepEqual(
        { failure: error.failure, status: error.status, param: error.param, code: error.code },
        { failure: "caller", status: 400, param, code },
      );
      assert.ok(error.publicMessage);
      return true;
    });
  });
}

Deno.test("toChatMessages() gives no thoughts back when the route drops them", () => {
  const messages = toChatMessages([thought("Hm"), call("1"), output("1")], {
    ...OPTIONS,
    keepsReasoning: false,
  });
  assert.ok(!JSON.stringify(messages).includes("Hm"));
});

Deno.test("toChatMessages() converts ten thousand items", () => {
  const items = Array.from({ length: 5_000 }, (_, at) => [call(`${at}`), output(`${at}`)]).flat();
  assert.equal(toChatMessages(items, OPTIONS).length, 10_000);
});
