import assert from "node:assert/strict";
import {
  convertRequest,
  outputLimitField,
} from "../../../../src/providers/openai_compatible/chat/convert_request.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { chatCall, chatRoute } from "../../../support/provider_parts.ts";

function convert(
  body: JsonObject,
  options: {
    stream?: boolean;
    cap?: number;
    rules?: NonNullable<Parameters<typeof chatRoute>[0]>["body"];
  } = {},
): JsonObject {
  const route = chatRoute(options.rules === undefined ? {} : { body: options.rules });
  const call = chatCall(body, {
    route,
    ...(options.cap === undefined ? {} : { outputTokensCap: options.cap }),
  });
  const before = structuredClone(call.body);
  const converted = convertRequest(call, {
    stream: options.stream ?? false,
    limitField: "max_tokens",
  });
  assert.deepEqual(call.body, before, "the caller's body is not changed");
  return converted;
}

Deno.test("convertRequest() swaps the model and keeps every other field", () => {
  const body = {
    temperature: 0.5,
    tools: [{ type: "function", function: { name: "f", strict: true } }],
    some_vendor_field: { nested: [1, null] },
  };
  assert.deepEqual(convert(body), {
    model: "upstream-model",
    messages: [{ role: "user", content: "Hello" }],
    ...body,
  });
});

Deno.test("convertRequest() asks for usage in streams, keeping other stream options", () => {
  assert.deepEqual(convert({}, { stream: true }).stream_options, { include_usage: true });
  assert.equal(convert({}, { stream: true }).stream, true);
  const given = { stream_options: { include_obfuscation: false, include_usage: false } };
  assert.deepEqual(convert(given, { stream: true }).stream_options, {
    include_obfuscation: false,
    include_usage: true,
  });
  assert.deepEqual(convert({ stream_options: null }, { stream: true }).stream_options, {
    include_usage: true,
  });
  const dropped = convert(given, { stream: true, rules: { drop: ["stream_options"] } });
  assert.ok(!("stream_options" in dropped));
});

Deno.test("convertRequest() never asks for a stream in a plain call", () => {
  const body = convert({ stream: true, stream_options: { include_usage: true } });
  assert.equal(body.stream, false);
  assert.ok(!("stream_options" in body));
  assert.ok(!("stream" in convert({})));
});

Deno.test("convertRequest() applies default, set and drop of the route", () => {
  const rules = {
    default: { temperature: 0.2, top_p: 0.9 },
    set: { safe: true, user: "gateway" },
    drop: ["logit_bias", "missing"],
  };
  const body = convert({ temperature: 1, user: "me", logit_bias: { 1: 2 } }, { rules });
  assert.equal(body.temperature, 1);
  assert.equal(body.top_p, 0.9);
  assert.equal(body.safe, true);
  assert.equal(body.user, "gateway");
  assert.ok(!("logit_bias" in body));
});

Deno.test("convertRequest() lets no rule touch the model or the stream flag", () => {
  const rules = { set: { model: "other", stream: false }, drop: ["model", "stream"] };
  const body = convert({}, { stream: true, rules });
  assert.equal(body.model, "upstream-model");
  assert.equal(body.stream, true);
});

const LIMITS: readonly [string, Parameters<typeof convert>, JsonObject][] = [
  ["under the widest name", [{}, { cap: 100 }], { max_tokens: 100 }],
  ["in place of null", [{ max_completion_tokens: null }, { cap: 100 }], { max_tokens: 100 }],
  ["in place of what is no limit", [{ max_tokens: -1 }, { cap: 100 }], { max_tokens: 100 }],
  ["in place of the caller's names", [{ max_completion_tokens: 7, max_tokens: 8 }, { cap: 7 }], {
    max_tokens: 7,
  }],
  ["not at all without a cap", [{}, {}], {}],
  ["under the name of a default", [{}, {
    cap: 50,
    rules: { default: { max_completion_tokens: 50 } },
  }], { max_completion_tokens: 50 }],
  ["under the names of a set", [{}, {
    cap: 70,
    rules: { set: { max_tokens: 70, max_completion_tokens: 70 } },
  }], { max_tokens: 70, max_completion_tokens: 70 }],
  ["under the newer name where the other is dropped", [{ max_tokens: 100 }, {
    cap: 100,
    rules: { drop: ["max_tokens"] },
  }], { max_completion_tokens: 100 }],
  ["not at all where both are dropped", [{ max_tokens: 100 }, {
    cap: 100,
    rules: { drop: ["max_tokens", "max_completion_tokens"] },
  }], {}],
  ["as the caller has it where there is no cap", [{ max_completion_tokens: 7 }, {}], {
    max_completion_tokens: 7,
  }],
];

for (const [name, [body, options], expected] of LIMITS) {
  Deno.test(`convertRequest() sends the output limit ${name}`, () => {
    const { max_tokens, max_completion_tokens } = convert(body, options);
    assert.deepEqual(
      JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens })),
      expected,
    );
  });
}

Deno.test("outputLimitField() gives OpenAI's and Azure's own hosts the newer name", () => {
  assert.equal(outputLimitField("https://api.openai.com/v1"), "max_completion_tokens");
  assert.equal(
    outputLimitField("https://acme.openai.azure.com/openai/deployments/x"),
    "max_completion_tokens",
  );
  assert.equal(outputLimitField("https://api.mistral.ai/v1"), "max_tokens");
  assert.equal(outputLimitField("https://api.openai.com.evil.example/v1"), "max_tokens");
  assert.equal(outputLimitField("http://127.0.0.1:8000/v1"), "max_tokens");
});
