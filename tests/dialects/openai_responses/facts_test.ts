import assert from "node:assert/strict";
import { responseFacts, responsePrompt } from "../../../src/dialects/openai_responses/facts.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

const image = (data: string) => ({
  type: "input_image",
  image_url: `data:image/png;base64,${data}`,
});
const message = (content: unknown) => ({ type: "message", role: "user", content });

function factsOf(body: JsonObject, bytes = 400, stream = false) {
  return responseFacts({ body: { input: [message("Hi")], ...body }, bodyBytes: bytes }, stream);
}

Deno.test("responseFacts() bounds the prompt by its bytes, and counts images apart", () => {
  const plain = factsOf({});
  assert.deepEqual([plain.promptTokensEstimate, plain.promptTokensBound], [100, 400]);
  assert.deepEqual([plain.vision, plain.asked], [false, undefined]);
  const data = "A".repeat(1_000_000);
  const seen = factsOf({
    input: [
      message([{ type: "input_text", text: "Hi" }, image(data)]),
      // A tool may answer with an image.
      { type: "function_call_output", call_id: "c", output: [image(data)] },
      message([{ type: "input_image", image_url: null, file_id: "file_1" }]),
    ],
  }, 2_000_400 + 2 * "data:image/png;base64,".length);
  assert.deepEqual([seen.vision, seen.asked], [true, { image: 3 }]);
  assert.deepEqual([seen.promptTokensEstimate, seen.promptTokensBound], [9_100, 9_400]);
  // A size that is told wrong is never less than nothing.
  assert.equal(factsOf({ input: [message([image(data)])] }, 10).promptTokensBound, 3_000);
});

Deno.test("responseFacts() reads what a route must be able to do", () => {
  const needs = (body: JsonObject) => {
    const { tools, jsonSchema, serverTools, maxOutputTokens, choices, stream } = factsOf(body);
    return { tools, jsonSchema, serverTools, maxOutputTokens, choices, stream };
  };
  const nothing = {
    tools: false,
    jsonSchema: false,
    serverTools: undefined,
    maxOutputTokens: undefined,
    choices: 1,
    stream: false,
  };
  assert.deepEqual(needs({ tools: [], text: {} }), nothing);
  assert.deepEqual(needs({ tools: null, text: null, max_output_tokens: null }), nothing);
  assert.deepEqual(
    needs({
      tools: [{ type: "function", name: "f" }, { type: "custom", name: "g" }],
      text: { format: { type: "json_schema", name: "s", schema: {} } },
      max_output_tokens: 77,
    }),
    { ...nothing, tools: true, jsonSchema: true, maxOutputTokens: 77 },
  );
  assert.deepEqual(needs({ text: { format: { type: "json_object" } } }), nothing);
  const tools = [{ type: "function", name: "f" }, { type: "web_search" }];
  assert.deepEqual(needs({ tools }).serverTools, ["web_search"]);
  assert.equal(factsOf({}, 1, true).stream, true);
  assert.equal(factsOf({}).capability, "responses");
});

Deno.test("responseFacts() tells tools that only an upstream runs from those of agents", () => {
  const shell = { type: "function", name: "shell" };
  const group = { type: "namespace", name: "n", description: "", tools: [shell] };
  const mine = [group, { type: "tool_search", execution: "client" }, { type: "custom", name: "c" }];
  const seen = factsOf({ tools: mine });
  assert.equal(seen.serverTools, undefined);
  assert.equal(seen.tools, true);
  const theirs = [
    { type: "tool_search" },
    { type: "web_search" },
    { type: "web_search" },
    { ...group, tools: [shell, { type: "local_shell" }] },
    7,
  ];
  const asked = factsOf({ tools: theirs });
  assert.deepEqual(asked.serverTools, ["tool_search", "web_search", "local_shell", "undefined"]);
  assert.equal(asked.promptTokensBound - factsOf({}).promptTokensBound, asked.fetchedTokensBound);
});

Deno.test("responseFacts() finds the tools that items of the conversation bring", () => {
  const item = (type: string, tools: unknown) => ({ type, call_id: "c", role: "developer", tools });
  const offered = factsOf({ input: [item("additional_tools", [{ type: "custom", name: "c" }])] });
  assert.deepEqual([offered.tools, offered.serverTools], [true, undefined]);
  const found = factsOf({ input: [item("tool_search_output", [{ type: "image_generation" }])] });
  assert.deepEqual([found.tools, found.serverTools], [true, ["image_generation"]]);
  assert.equal(factsOf({ input: [item("additional_tools", [])] }).tools, false);
  assert.equal(factsOf({ input: [item("additional_tools", {})] }).tools, false);
  const { texts } = responsePrompt({
    input: [item("additional_tools", [{ type: "custom", name: "rare_name" }])],
  });
  assert.match(texts.join(), /rare_name/);
});

Deno.test("responseFacts() finds what earlier turns have of tools that only an upstream runs", () => {
  const call = (type: string, more = {}) => ({ type, call_id: "c", ...more });
  const common = [
    call("function_call"),
    call("custom_tool_call_output"),
    call("tool_search_call"),
    call("configuration_update"),
    call("compaction_trigger"),
  ];
  assert.equal(factsOf({ input: common }).serverTools, undefined);
  const seen = factsOf({
    input: [
      call("web_search_call"),
      call("local_shell_call_output"),
      call("mcp_list_tools"),
      call("compaction"),
      call("tool_search_output", { execution: "server" }),
      7,
    ],
    tools: [{ type: "web_search" }],
  });
  assert.deepEqual(seen.serverTools, [
    "web_search",
    "local_shell",
    "mcp",
    "compaction",
    "tool_search",
  ]);
  assert.equal(factsOf({ input: [call("web_search_call")] }).fetchedTokensBound, undefined);
});

Deno.test("responsePrompt() has every text that a model reads, and nothing else", () => {
  const [text = ""] = responsePrompt({
    instructions: "Be brief",
    input: [
      message("one"),
      message([{ type: "input_text", text: "two" }, image("SECRETBYTES")]),
      { type: "reasoning", summary: [], encrypted_content: "sealed" },
      { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":3}' },
      { type: "function_call_output", call_id: "c1", output: "four" },
      { type: "custom_tool_call", call_id: "c2", name: "g", input: "five" },
      {
        type: "custom_tool_call_output",
        call_id: "c2",
        output: [{ type: "input_text", text: "six" }],
      },
    ],
    tools: [{ type: "function", name: "seven" }],
    metadata: { note: "unread" },
  }).texts;
  for (const part of ["Be brief", "one", "two", '{"a":3}', "four", "five", "six", "seven"]) {
    assert.ok(text.includes(part), part);
  }
  assert.doesNotMatch(text, /SECRETBYTES|sealed|unread/);
  assert.equal(responsePrompt({}).texts[0], "");
});
