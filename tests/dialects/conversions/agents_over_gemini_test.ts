import assert from "node:assert/strict";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import { openaiResponses } from "../../../src/dialects/openai_responses/dialect.ts";
import { type Conversion, convertCall } from "../../../src/providers/converted_exchange.ts";
import { chatRoute } from "../../support/provider_parts.ts";

Deno.test("agents' tools are functions to Gemini, too, and calls of theirs as well", () => {
  const { call: { body }, names } = convertCall({
    route: chatRoute(),
    outputTokensCap: undefined,
    body: {
      model: "m",
      tools: [
        { type: "custom", name: "patch" },
        { type: "namespace", name: "n", description: "", tools: [{ type: "custom", name: "say" }] },
      ],
      input: [
        { role: "user", content: "Hi" },
        { type: "custom_tool_call", call_id: "c1", namespace: "n", name: "say", input: "a" },
        { type: "custom_tool_call_output", call_id: "c1", output: "b" },
      ],
    },
  }, { from: openaiResponses as Conversion["from"], to: gemini });
  const text = JSON.stringify(body);
  assert.match(text, /"functionDeclarations":\[\{"name":"patch"/);
  assert.match(text, /"functionCall":\{[^}]*"name":"n__say","args":\{"input":"a"\}/);
  assert.match(text, /"functionResponse":\{[^}]*"name":"n__say"/);
  assert.deepEqual(names.get("n__say"), { kind: "custom", name: "say", namespace: "n" });
});
