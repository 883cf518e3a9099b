/**
 * How the input of a kept answer is listed.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../../fixtures/openai/response_schemas.json" with { type: "json" };
import { listedItem } from "../../../../src/http/endpoints/responses/list_input_items.ts";
import { assertSatisfies } from "../../../support/schema_check.ts";

Deno.test("listedItem() gives short forms the full form of OpenAI's schema", () => {
  const short = [
    { id: "msg_1", type: "message", role: "user", content: "Hi" },
    { id: "msg_2", type: "message", role: "developer", content: "Be kind" },
    { id: "msg_3", type: "message", role: "assistant", content: "Well" },
    { id: "fc_1", type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { id: "fco_1", type: "function_call_output", call_id: "c", output: "Rain" },
    { id: "ctc_1", type: "custom_tool_call", call_id: "d", name: "f", input: "x" },
    { id: "cto_1", type: "custom_tool_call_output", call_id: "d", output: "y" },
  ];
  for (const item of short) {
    const listed = listedItem(item);
    assertSatisfies(schemas, "ItemResource", listed);
    assert.equal(listed.id, item.id);
  }
});

Deno.test("listedItem() changes nothing of an item that came whole", () => {
  const whole = [
    {
      id: "msg_1",
      type: "message",
      role: "user",
      status: "incomplete",
      content: [{ type: "input_text", text: "Hi" }],
    },
    { id: "rs_1", type: "reasoning", summary: [] },
    { id: "ws_1", type: "web_search_call", status: "failed", action: { type: "search" } },
  ];
  for (const item of whole) assert.deepEqual(listedItem(item), item);
});
