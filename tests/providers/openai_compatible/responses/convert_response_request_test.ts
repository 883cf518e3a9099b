import assert from "node:assert/strict";
import { convertResponseRequest } from "../../../../src/providers/openai_compatible/responses/convert_response_request.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../../src/domain/upstream_error.ts";
import { nativeCall, nativeRoute } from "../../../support/response_bodies.ts";

type Rules = NonNullable<Parameters<typeof nativeRoute>[0]>["body"];

function convert(
  body: JsonObject = {},
  options: { stream?: boolean; cap?: number; rules?: Rules } = {},
): JsonObject {
  const call = nativeCall(body, {
    route: nativeRoute(options.rules === undefined ? {} : { body: options.rules }),
    ...(options.cap === undefined ? {} : { outputTokensCap: options.cap }),
  });
  const before = structuredClone(call.body);
  const converted = convertResponseRequest(call, { stream: options.stream ?? false });
  assert.deepEqual(call.body, before, "the caller's body is not changed");
  return converted;
}

Deno.test("convertResponseRequest() swaps the model, stores nothing and keeps every other field", () => {
  const body = {
    instructions: "Be brief",
    tools: [{ type: "web_search" }, { type: "function", name: "f", parameters: {}, strict: true }],
    text: { format: { type: "json_object" } },
    metadata: { a: "b" },
    truncation: "auto",
    some_vendor_field: { nested: [1, null] },
  };
  assert.deepEqual(convert(body), {
    model: "upstream-model",
    input: [{ type: "message", role: "user", content: "Hello" }],
    ...body,
    store: false,
    stream: false,
  });
});

Deno.test("convertResponseRequest() says whether it wants a stream, and stream options only then", () => {
  const body = { stream_options: { include_obfuscation: false } };
  assert.deepEqual(convert(body, { stream: true }).stream_options, body.stream_options);
  assert.equal(convert(body, { stream: true }).stream, true);
  assert.ok(!("stream_options" in convert(body)));
});

Deno.test("convertResponseRequest() applies default, set and drop of the route in this order", () => {
  const rules: Rules = {
    default: { temperature: 0.1, top_p: 0.2 },
    set: { temperature: 0.3, store: true, model: "other", service_tier: "flex" },
    drop: ["top_p", "metadata", "model", "stream"],
  };
  const body = convert({ temperature: 0.9, metadata: { a: "b" } }, { rules });
  assert.equal(body.temperature, 0.3);
  assert.equal(body.service_tier, "flex");
  assert.equal(body.model, "upstream-model");
  assert.equal(body.store, false);
  assert.equal(body.stream, false);
  for (const field of ["top_p", "metadata"]) assert.ok(!(field in body), field);
  assert.ok(!("store" in convert({}, { rules: { drop: ["store"] } })));
});

Deno.test("convertResponseRequest() limits the output where the caller did not", () => {
  assert.equal(convert({}, { cap: 100 }).max_output_tokens, 100);
  assert.equal(convert({ max_output_tokens: null }, { cap: 100 }).max_output_tokens, 100);
  const set = (value: number): Rules => ({ set: { max_output_tokens: value } });
  // The cap is what the route's rules have made of it.
  assert.equal(
    convert({ max_output_tokens: 7 }, { cap: 50, rules: set(50) }).max_output_tokens,
    50,
  );
  assert.ok(
    !("max_output_tokens" in convert({}, { cap: 9, rules: { drop: ["max_output_tokens"] } })),
  );
  assert.ok(!("max_output_tokens" in convert()));
  assert.equal(convert({ max_output_tokens: 7 }).max_output_tokens, 7);
});

Deno.test("convertResponseRequest() asks for sealed reasoning where reasoning is asked for, once", () => {
  const sealed = "reasoning.encrypted_content";
  const reasoning = { effort: "low" };
  assert.deepEqual(convert({ reasoning }).include, [sealed]);
  assert.deepEqual(convert({ reasoning, include: null }).include, [sealed]);
  assert.deepEqual(convert({ reasoning, include: [sealed] }).include, [sealed]);
  const include = ["message.output_text.logprobs"];
  assert.deepEqual(convert({ reasoning, include }).include, [...include, sealed]);
  assert.deepEqual(convert({ include }).include, include);
  assert.ok(!("include" in convert()));
  assert.ok(!("include" in convert({ reasoning: null })));
});

Deno.test("convertResponseRequest() takes away what only the upstream that wrote it could look up", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
  const sealed = { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAA" };
  const content = [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }];
  const converted = convert({
    input: [
      { role: "user", content: "Hello" },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "reasoning", id: "rs_3", summary: [], encrypted_content: null },
      sealed,
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" },
      { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "1" },
      search,
    ],
  });
  assert.deepEqual(converted.input, [
    { role: "user", content: "Hello" },
    sealed,
    { type: "message", role: "assistant", status: "completed", content },
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "1" },
    search,
  ]);
});

Deno.test("convertResponseRequest() refuses a reference to an item by its place", () => {
  const input = [{ role: "user", content: "Hi" }, { type: "item_reference", id: "msg_1" }];
  assert.throws(() => convert({ input }), (error: unknown) => {
    assert.ok(error instanceof UpstreamError);
    assert.equal(error.failure, "caller");
    assert.equal(error.status, 400);
    assert.equal(error.param, "input[1]");
    assert.match(error.publicMessage!, /send the item itself/);
    return true;
  });
});
