/**
 * Tools that agents offer, over upstreams that know functions alone: how they are asked, and what of
 * the answer comes back.
 *
 * @module
 */

import assert from "node:assert/strict";
import { anthropicMessages } from "../../../src/dialects/anthropic_messages/dialect.ts";
import { EventQueue } from "../../../src/dialects/base/event_queue.ts";
import { openaiChat } from "../../../src/dialects/openai_chat/dialect.ts";
import { openaiResponses } from "../../../src/dialects/openai_responses/dialect.ts";
import { CallersTools } from "../../../src/dialects/turns/as_functions.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { type Conversion, convertCall } from "../../../src/providers/converted_exchange.ts";
import { countedIds, repairedAnswer } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { chatRoute } from "../../support/provider_parts.ts";
import { sealOf } from "../../support/thought_seals.ts";

const RESPONSES = openaiResponses as Conversion["from"];
const CHAT = openaiChat as Conversion["from"] & Conversion["to"];
const MESSAGES = anthropicMessages as Conversion["from"] & Conversion["to"];

const GRAMMAR = { type: "grammar", syntax: "lark", definition: "start: A" };
const PATCH = { type: "custom", name: "apply_patch", description: "Edits files", format: GRAMMAR };
const RUN = { type: "function", name: "run", parameters: { type: "object", properties: {} } };
const GROUP = {
  type: "namespace",
  name: "agents",
  description: "Other agents.",
  tools: [
    { type: "function", name: "wait", description: "Waits" },
    { type: "custom", name: "say" },
  ],
};
const SEARCH = {
  type: "tool_search",
  execution: "client",
  description: "Finds tools",
  parameters: { type: "object", properties: { query: { type: "string" } } },
};
const TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as it is" } },
  required: ["input"],
  additionalProperties: false,
};

function convert(
  body: JsonObject,
  { from = RESPONSES, to = CHAT, dropTools }: {
    readonly from?: Conversion["from"];
    readonly to?: Conversion["to"];
    readonly dropTools?: readonly string[];
  } = {},
) {
  const rules = { set: {}, default: {}, drop: [], ...(dropTools && { dropTools }) };
  const route = { ...chatRoute(), body: rules };
  const call = {
    route,
    body: { model: "m", input: [{ role: "user", content: "Hi" }], ...body },
    outputTokensCap: undefined,
  };
  const { call: { body: sent }, names } = convertCall(call, { from, to });
  return { sent, names };
}

/** What comes back of a chat message with these calls. */
function answered(body: JsonObject, calls: readonly (readonly [string, string])[]) {
  const { names } = convert(body);
  const writer = RESPONSES.callers.answerWriter(body, {
    clock: new FakeClock(),
    ids: countedIds(),
    seal: sealOf,
  });
  const reader = CHAT.upstreams.answerReader(new CallersTools(writer, names));
  const tool_calls = calls.map(([name, args], index) => (
    { id: `c${index}`, type: "function", function: { name, arguments: args } }
  ));
  reader.addWhole(repairedAnswer({
    choices: [{ message: { role: "assistant", tool_calls }, finish_reason: "tool_calls" }],
  }));
  reader.end();
  return (writer.whole.output as JsonObject[]).map(({ id: _, status: __, ...item }) => item);
}

function functionsIn(sent: JsonObject): readonly JsonObject[] {
  return (sent.tools as JsonObject[] ?? []).map(({ function: called }) => called as JsonObject);
}

Deno.test("tools of every kind are functions to chat, each told all that was said of it", () => {
  const { sent } = convert({ tools: [PATCH, RUN, GROUP, SEARCH] });
  assert.deepEqual(functionsIn(sent), [
    {
      name: "apply_patch",
      description: "Edits files\n\nThe input has to match this grammar (lark):\nstart: A",
      parameters: TEXT,
    },
    { name: "run", parameters: RUN.parameters },
    { name: "agents__wait", description: "Other agents.\n\nWaits" },
    { name: "agents__say", parameters: TEXT },
    { name: "tool_search", description: "Finds tools", parameters: SEARCH.parameters },
  ]);
});

Deno.test("tools of every kind are tools to Messages", () => {
  const { sent } = convert({ tools: [PATCH, GROUP] }, { to: MESSAGES });
  const tools = sent.tools as JsonObject[];
  assert.deepEqual(tools.map(({ name }) => name), ["apply_patch", "agents__wait", "agents__say"]);
  assert.deepEqual(tools[0]!.input_schema, TEXT);
  assert.deepEqual(tools[1]!.input_schema, { type: "object" });
});

Deno.test("plain functions are left as they are", () => {
  const { sent, names } = convert({ tools: [RUN] });
  assert.deepEqual(functionsIn(sent), [{ name: "run", parameters: RUN.parameters }]);
  assert.equal(names.size, 0);
});

Deno.test("calls come back as those of the tools that were offered", () => {
  const output = answered({ tools: [PATCH, RUN, GROUP, SEARCH] }, [
    ["apply_patch", '{"input":"*** Begin\\n"}'],
    ["run", "{}"],
    ["agents__wait", '{"s":1}'],
    ["agents__say", '{"input":"Hi"}'],
    ["tool_search", '{"query":"mail"}'],
    // Without its group, and one that nobody offers.
    ["wait", "{}"],
    ["dance", "{}"],
  ]);
  assert.deepEqual(output, [
    { type: "custom_tool_call", call_id: "c0", name: "apply_patch", input: "*** Begin\n" },
    { type: "function_call", call_id: "c1", name: "run", arguments: "{}" },
    {
      type: "function_call",
      call_id: "c2",
      namespace: "agents",
      name: "wait",
      arguments: '{"s":1}',
    },
    { type: "custom_tool_call", call_id: "c3", namespace: "agents", name: "say", input: "Hi" },
    {
      type: "tool_search_call",
      call_id: "c4",
      execution: "client",
      arguments: { query: "mail" },
    },
    { type: "function_call", call_id: "c5", namespace: "agents", name: "wait", arguments: "{}" },
    { type: "function_call", call_id: "c6", name: "dance", arguments: "{}" },
  ]);
});

Deno.test("names that are long, odd or taken have one of their own, always the same", () => {
  const long = "a_tool_with_a_name_that_no_server_of_chat_would_take_as_it_is_so_long";
  const inGroup = (namespace: string, name: string) => (
    { type: "namespace", name: namespace, description: "", tools: [{ type: "function", name }] }
  );
  const tools = [
    { type: "function", name: "a__b" },
    inGroup("a", "b"),
    { type: "function", name: long },
    inGroup("mcp.mail ✉", "send"),
    inGroup("mcp_mail __", "send"),
    { type: "custom", name: "run" },
    RUN,
  ];
  const { sent, names } = convert({ tools });
  const all = functionsIn(sent).map(({ name }) => name as string);
  assert.equal(new Set(all).size, tools.length);
  assert.ok(all.every((name) => /^[\w-]{1,64}$/.test(name)), all.join());
  assert.deepEqual([all[0], all.at(-1)], ["a__b", "run"]);
  assert.deepEqual(names.get(all[1]!), { kind: "function", name: "b", namespace: "a" });
  assert.deepEqual(names.get(all[2]!), { kind: "function", name: long });
  assert.deepEqual(names.get(all[5]!), { kind: "custom", name: "run" });
  assert.deepEqual(functionsIn(convert({ tools }).sent).map(({ name }) => name), all);
});

Deno.test("earlier calls and their outputs are those of functions, too", () => {
  const { sent } = convert({
    tools: [PATCH, GROUP, SEARCH],
    input: [
      { type: "custom_tool_call", call_id: "1", name: "apply_patch", input: 'a "b"\n' },
      { type: "custom_tool_call_output", call_id: "1", output: "done" },
      {
        type: "function_call",
        call_id: "2",
        namespace: "agents",
        name: "wait",
        arguments: "{}",
      },
      { type: "function_call_output", call_id: "2", output: "waited" },
      { type: "tool_search_call", call_id: "3", execution: "client", arguments: { query: "x" } },
      {
        type: "tool_search_output",
        call_id: "3",
        execution: "client",
        tools: [
          { type: "function", name: "mail", description: "Sends mail\nto anybody" },
          { ...GROUP, name: "found" },
        ],
      },
    ],
  });
  assert.deepEqual(
    (sent.messages as JsonObject[]).flatMap(({ tool_calls, content }) =>
      (tool_calls as JsonObject[] | undefined)?.map((call) => call.function) ?? [content]
    ),
    [
      { name: "apply_patch", arguments: '{"input":"a \\"b\\"\\n"}' },
      "done",
      { name: "agents__wait", arguments: "{}" },
      "waited",
      { name: "tool_search", arguments: '{"query":"x"}' },
      "These tools were found and can be called now:\nmail (Sends mail)\nfound: wait (Waits)\nfound: say",
    ],
  );
  assert.deepEqual(functionsIn(sent).map(({ name }) => name), [
    "apply_patch",
    "agents__wait",
    "agents__say",
    "tool_search",
    "mail",
    "found__wait",
    "found__say",
  ]);
});

Deno.test("tools that an item brings are offered with the others, the newest of a name", () => {
  const item = (tools: readonly unknown[]) => ({
    type: "additional_tools",
    role: "developer",
    tools,
  });
  const { sent } = convert({
    tools: [RUN],
    input: [
      item([GROUP, PATCH]),
      { role: "user", content: "Hi" },
      item([{ ...RUN, description: "Better" }]),
    ],
  });
  assert.deepEqual(functionsIn(sent).map(({ name, description }) => [name, description]), [
    ["run", "Better"],
    ["agents__wait", "Other agents.\n\nWaits"],
    ["agents__say", undefined],
    ["apply_patch", "Edits files\n\nThe input has to match this grammar (lark):\nstart: A"],
  ]);
  assert.deepEqual(sent.messages, [{ role: "user", content: "Hi" }]);
});

const CHOICES: readonly [choice: unknown, chosen: unknown][] = [
  [{ type: "custom", name: "apply_patch" }, {
    type: "function",
    function: { name: "apply_patch" },
  }],
  [
    { type: "function", name: "wait", namespace: "agents" },
    { type: "function", function: { name: "agents__wait" } },
  ],
  [{ type: "function", name: "wait" }, { type: "function", function: { name: "agents__wait" } }],
];
for (const [choice, chosen] of CHOICES) {
  Deno.test(`the choice ${JSON.stringify(choice)} is one of a function`, () => {
    const { sent } = convert({ tools: [PATCH, GROUP], tool_choice: choice });
    assert.deepEqual(sent.tool_choice, chosen);
  });
}

Deno.test("allowed tools are a shorter list of functions", () => {
  const { sent } = convert({
    tools: [PATCH, RUN, { type: "web_search" }],
    tool_choice: {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "web_search" }, { type: "custom", name: "apply_patch" }],
    },
  }, { dropTools: ["web_search"] });
  assert.deepEqual(functionsIn(sent).map(({ name }) => name), ["apply_patch"]);
  assert.equal(sent.tool_choice, "required");
});

Deno.test("what a route leaves out is left out of the tools, the choice and earlier turns", () => {
  const input = [
    { role: "user", content: "Hi" },
    { type: "web_search_call", id: "ws_1", status: "completed" },
    { type: "mcp_list_tools", id: "mcpl_1", tools: [] },
  ];
  const tools = [{ type: "web_search_preview" }, { type: "mcp" }, { type: "local_shell" }];
  for (const tool_choice of ["auto", "required", { type: "mcp" }, { type: "web_search_preview" }]) {
    const { sent } = convert({ tools, tool_choice, input }, {
      dropTools: ["web_search*", "mcp", "local_shell"],
    });
    assert.deepEqual(Object.keys(sent).sort(), ["messages", "model"]);
    assert.deepEqual(sent.messages, [{ role: "user", content: "Hi" }]);
  }
  const { sent } = convert({ tools: [...tools, RUN], tool_choice: { type: "mcp" } }, {
    dropTools: ["*"],
  });
  assert.deepEqual(functionsIn(sent).map(({ name }) => name), ["run"]);
  assert.equal(sent.tool_choice, undefined);
});

Deno.test("what a route does not leave out is refused by name", () => {
  const refused: readonly [JsonObject, string, string][] = [
    [{ tools: [RUN, { type: "local_shell" }] }, "tools[1].type", "'local_shell'"],
    [{ tools: [{ type: "tool_search" }] }, "tools[0].type", "'tool_search'"],
    [
      { tools: [{ ...GROUP, tools: [RUN, { type: "mcp" }] }] },
      "tools[0].tools[1].type",
      "'mcp'",
    ],
    [
      { input: [{ type: "additional_tools", tools: [{ type: "image_generation" }] }] },
      "input[0].tools[0].type",
      "'image_generation'",
    ],
    [
      { input: [{ type: "tool_search_call", call_id: null, execution: "server" }] },
      "input[0].type",
      "'tool_search_call'",
    ],
  ];
  for (const [body, param, named] of refused) {
    assert.throws(() => convert(body, { dropTools: ["web_search"] }), (error: JsonObject) => {
      assert.deepEqual([error.param, error.code], [param, "not_supported"]);
      assert.ok(String(error.publicMessage).includes(named));
      return true;
    });
  }
});

Deno.test("Anthropic's own tools are left out, too, where a route says so", () => {
  const body = {
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { type: "text", text: "Found" },
        ],
      },
      { role: "user", content: "Go on" },
    ],
    tools: [{ type: "web_search_20250305", name: "web_search" }, { name: "run", input_schema: {} }],
    max_tokens: 10,
  };
  const { sent } = convert(body, { from: MESSAGES, dropTools: ["web_search*"] });
  assert.deepEqual(functionsIn(sent).map(({ name }) => name), ["run"]);
  assert.deepEqual((sent.messages as JsonObject[]).map(({ content }) => content), [
    "Hi",
    "Found",
    "Go on",
  ]);
});

Deno.test("a chat's custom tool goes the whole round over Messages", () => {
  const body = {
    input: undefined,
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "custom", custom: { name: "sql", input: "select 1" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ],
    tools: [{ type: "custom", custom: { name: "sql", description: "Asks" } }],
    tool_choice: { type: "custom", custom: { name: "sql" } },
    max_tokens: 10,
  };
  const { sent, names } = convert(body, { from: CHAT, to: MESSAGES });
  const [, called, result] = sent.messages as JsonObject[];
  assert.deepEqual(called!.content, [
    { type: "tool_use", id: "c1", name: "sql", input: { input: "select 1" } },
  ]);
  assert.equal((result!.content as JsonObject[])[0]!.type, "tool_result");
  const events = new EventQueue();
  const parts = { clock: new FakeClock(), ids: countedIds(), seal: sealOf };
  const writer = CHAT.callers.answerWriter(body, parts, events);
  const sink = new CallersTools(writer, names);
  sink.begin({ id: "m", model: "m", created: 1 });
  sink.open(0, { type: "call", kind: "function", id: "t1", name: "sql" });
  for (const piece of ['{"inp', 'ut":"sel', "ect\\u00", '202"', "}"]) sink.write(0, piece);
  sink.close(0, { isCut: false });
  sink.finish("calls");
  sink.end();
  const [choice] = writer.whole.choices as JsonObject[];
  assert.deepEqual((choice!.message as JsonObject).tool_calls, [
    { id: "t1", type: "custom", custom: { name: "sql", input: "select 2" } },
  ]);
  const told = events.take().map(({ text }) => text).join("");
  assert.equal(told, "sqlselect 2");
});
