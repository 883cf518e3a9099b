/**
 * Tools that a conversation adds and takes away, as a request in another dialect has them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

const READ = { name: "read", input_schema: { type: "object" } };
const FETCH = { name: "fetch", input_schema: { type: "object" }, defer_loading: true };
const ASK = { role: "user", content: "Hi" };

function found(...names: string[]): JsonObject {
  const content = names.map((tool_name) => ({ type: "tool_reference", tool_name }));
  return { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] };
}

function said(type: string, tool: object): JsonObject {
  return { role: "system", content: [{ type, tool }] };
}

function byName(name: string): object {
  return { type: "tool_reference", name };
}

const CASES: readonly (readonly [string, messages: readonly JsonObject[], tools: string[]])[] = [
  ["a tool that nobody has found is not there", [ASK], ["read"]],
  ["one that was found is", [ASK, found("fetch")], ["read", "fetch"]],
  ["one that was added is", [ASK, said("tool_addition", byName("fetch"))], ["read", "fetch"]],
  ["one that was taken away is not", [ASK, said("tool_removal", byName("read"))], []],
  ["the last word counts", [
    ASK,
    said("tool_removal", byName("read")),
    said("tool_addition", byName("read")),
    found("fetch"),
    said("tool_removal", byName("fetch")),
  ], ["read"]],
  ["one may be defined where it is added", [
    ASK,
    said("tool_addition", { type: "tool_definition", definition: { ...READ, name: "new" } }),
  ], ["read", "new"]],
];

for (const [name, messages, expected] of CASES) {
  Deno.test(name, () => {
    const body = { model: "m", max_tokens: 9, messages, tools: [READ, FETCH] };
    const { tools } = DIALECTS.anthropic_messages.callers.readRequest(body);
    assert.deepEqual(tools.map((tool) => tool.kind === "other" ? tool.what : tool.name), expected);
  });
}

Deno.test("the model reads of a change, and of a server's tools nothing is made up", () => {
  const { readRequest } = DIALECTS.anthropic_messages.callers;
  const body = { model: "m", max_tokens: 9, tools: [READ] };
  const { turns } = readRequest({
    ...body,
    messages: [ASK, said("tool_removal", byName("read")), {
      role: "system",
      content: [{
        type: "tool_addition",
        tool: { type: "mcp_toolset_reference", server_name: "s" },
      }],
    }],
  });
  assert.deepEqual(
    turns.slice(1).map(({ blocks: [block] }) => block?.type === "text" ? block.text : block?.type),
    ["The tool 'read' can no longer be called.", "other"],
  );
});
