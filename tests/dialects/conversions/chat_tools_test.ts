import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { writeTools } from "../../../src/dialects/openai_chat/write_request.ts";
import { readTools } from "../../../src/dialects/openai_responses/read_tools.ts";
import type { ToolName } from "../../../src/dialects/turns/turns_request.ts";
import { toChatTools } from "../../support/responses_over_chat.ts";

const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };
const F = { type: "function", name: "f", parameters: PARAMETERS, strict: true };
const G = { type: "function", name: "g", description: "G", parameters: null, strict: null };
const C = { type: "custom", name: "c", description: "C" };
const chatF = { type: "function", function: { name: "f", parameters: PARAMETERS, strict: true } };
const chatG = { type: "function", function: { name: "g", description: "G" } };
const chatC = { type: "custom", custom: { name: "c", description: "C" } };

const CONVERTED: readonly [string, JsonObject, JsonObject][] = [
  ["no tools", {}, {}],
  ["an empty list", { tools: [], tool_choice: "auto", parallel_tool_calls: true }, {}],
  ["null", { tools: null, tool_choice: null, parallel_tool_calls: null }, {}],
  ["functions and custom tools", { tools: [F, G, C] }, { tools: [chatF, chatG, chatC] }],
  ["a grammar", {
    tools: [{ ...C, format: { type: "grammar", syntax: "lark", definition: "start: A" } }],
  }, {
    tools: [{
      type: "custom",
      custom: {
        name: "c",
        description: "C",
        format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } },
      },
    }],
  }],
  ["a custom tool of free text", { tools: [{ ...C, format: { type: "text" } }] }, {
    tools: [{ type: "custom", custom: { name: "c", description: "C", format: { type: "text" } } }],
  }],
  ["parallel_tool_calls", { tools: [F], parallel_tool_calls: false }, {
    tools: [chatF],
    parallel_tool_calls: false,
  }],
  ["the choice auto", { tools: [F], tool_choice: "auto" }, { tools: [chatF], tool_choice: "auto" }],
  ["the choice none", { tools: [F], tool_choice: "none" }, { tools: [chatF], tool_choice: "none" }],
  ["the choice required", { tools: [F], tool_choice: "required" }, {
    tools: [chatF],
    tool_choice: "required",
  }],
  ["the choice of a function", { tools: [F, G], tool_choice: { type: "function", name: "g" } }, {
    tools: [chatF, chatG],
    tool_choice: { type: "function", function: { name: "g" } },
  }],
  ["the choice of a custom tool", { tools: [F, C], tool_choice: { type: "custom", name: "c" } }, {
    tools: [chatF, chatC],
    tool_choice: { type: "custom", custom: { name: "c" } },
  }],
  ["allowed_tools", {
    tools: [F, G, C],
    tool_choice: {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "custom", name: "c" }, { type: "function", name: "f" }],
    },
  }, { tools: [chatF, chatC], tool_choice: "required" }],
  ["allowed_tools that are named over and over", {
    tools: [F, G],
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: Array(50).fill({ type: "function", name: "g" }),
    },
  }, { tools: [chatG], tool_choice: "auto" }],
];
for (const [name, body, expected] of CONVERTED) {
  Deno.test(`toChatTools() converts ${name}`, () => {
    assert.deepEqual(toChatTools(body), expected);
  });
}

for (
  const type of [
    "web_search",
    "web_search_preview",
    "file_search",
    "computer",
    "computer_use_preview",
    "code_interpreter",
    "image_generation",
    "mcp",
    "local_shell",
    "shell",
    "apply_patch",
    "tool_search",
    "telepathy",
  ]
) {
  Deno.test(`toChatTools() refuses the tool ${type} by name`, () => {
    assert.throws(() => toChatTools({ tools: [F, { type, name: "f" }] }), (error: JsonObject) => {
      assert.equal(error.param, "tools[1].type");
      assert.equal(error.code, "not_supported");
      assert.equal(error.status, 400);
      assert.ok((error.publicMessage as string).includes(`'${type}'`));
      return true;
    });
  });
}

const REFUSED: readonly [string, JsonObject, string, string][] = [
  ["tools that are no list", { tools: {} }, "tools", "invalid_value"],
  ["a tool that is no object", { tools: ["f"] }, "tools[0]", "invalid_value"],
  ["a tool without type", { tools: [{ name: "f" }] }, "tools[0].type", "not_supported"],
  ["a function without name", { tools: [{ type: "function" }] }, "tools[0].name", "invalid_value"],
  [
    "chat's form of a function",
    {
      tools: [{ type: "function", function: { name: "f" } }],
    },
    "tools[0].name",
    "invalid_value",
  ],
  ["a required call of nothing", { tool_choice: "required" }, "tool_choice", "invalid_value"],
  ["an unknown word", { tools: [F], tool_choice: "maybe" }, "tool_choice", "invalid_value"],
  [
    "a tool that is not offered",
    {
      tools: [F],
      tool_choice: { type: "function", name: "g" },
    },
    "tool_choice",
    "invalid_value",
  ],
  [
    "a server's tool",
    { tools: [F], tool_choice: { type: "web_search" } },
    "tool_choice.type",
    "not_supported",
  ],
  [
    "allowed_tools without tools",
    {
      tools: [F],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [] },
    },
    "tool_choice",
    "invalid_value",
  ],
  [
    "allowed_tools that are not offered",
    {
      tools: [F],
      tool_choice: {
        type: "allowed_tools",
        mode: "auto",
        tools: [{ type: "function", name: "g" }],
      },
    },
    "tool_choice.tools[0]",
    "invalid_value",
  ],
];
for (const [name, body, param, code] of REFUSED) {
  Deno.test(`toChatTools() refuses ${name}`, () => {
    assert.throws(() => toChatTools(body), {
      name: "UpstreamError",
      failure: "caller",
      param,
      code,
    });
  });
}

Deno.test("writeTools() looks at each allowed tool once, however many are offered", () => {
  let looks = 0;
  const allowed = Array.from({ length: 100 }, (_, index): ToolName => ({
    kind: "function",
    get name() {
      looks++;
      return `f${index}`;
    },
  }));
  const tools = allowed.map((_, index) => (
    { kind: "function", name: `f${99 - index}`, at: `tools[${index}]` } as const
  ));
  assert.equal(writeTools({ tools, choice: { mode: "auto", allowed } }).tools?.length, 100);
  assert.equal(looks, 100);
});

Deno.test("readTools() takes no list for the name or the type of a tool", () => {
  const wanted = [{ type: ["function"], name: "f" }, { type: "function", name: ["f"] }];
  for (const one of wanted) {
    const tool_choice = { type: "allowed_tools", mode: "auto", tools: [one] };
    assert.throws(() => readTools({ tools: [F], tool_choice }), { param: "tool_choice.tools[0]" });
  }
});
