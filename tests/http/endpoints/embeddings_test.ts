/**
 * `POST /v1/embeddings` over a built-in model and over an upstream.
 *
 * @module
 */

import { nested } from "../../support/nested_tokens.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import schemas from "../../fixtures/openai/embedding_schemas.json" with { type: "json" };
import { embedding, vectorOf } from "../../support/embedding_upstream.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startResponsesGateway } from "../../support/responses_gateway.ts";
import { assertSatisfies, faultsOf } from "../../support/schema_check.ts";
import { lastCall } from "../../support/settled_calls.ts";

const floats = embedding({ form: "float", order: "reversed" });

const hash = { model: "hash-embed-1", dimensions: 64 };

Deno.test("POST embeddings takes all four forms of input, under both prefixes", async () => {
  await using gateway = await startResponsesGateway();
  for (const prefix of ["/v1", "/api/gateway/v1"] as const) {
    const counts: unknown[] = [];
    for (const input of ["Hello", ["Hello", "World"], [1, 2, 3], [[1, 2, 3], [4]]]) {
      const { status, body } = await gateway.api("POST", "/embeddings", {
        prefix,
        body: { ...hash, input },
      });
      assert.equal(status, 200, JSON.stringify(body));
      assertSatisfies(schemas, "CreateEmbeddingResponse", body);
      assert.deepEqual(
        body.data.map(({ index }: JsonObject) => index),
        body.data.map((_: unknown, at: number) => at),
      );
      for (const { embedding } of body.data) assert.equal(embedding.length, 64);
      assert.deepEqual([body.model, body.provider, body.route], [
        "hash-embed-1",
        "builtin",
        "builtin/hash-embed-1",
      ]);
      counts.push([body.data.length, body.usage.prompt_tokens, body.usage.total_tokens]);
    }
    assert.deepEqual(counts, [[1, 1, 1], [2, 2, 2], [1, 3, 3], [2, 4, 4]]);
  }
});

Deno.test("base64 is the same vector as floats, whatever the upstream sends", async () => {
  await using upstream = await startFakeUpstream(floats);
  await using gateway = await startResponsesGateway(upstream.url);
  for (const form of ["float", "base64"] as const) {
    upstream.answer(embedding({ form, order: "reversed" }));
    for (const model of ["embed", "hash-embed-1"]) {
      const ask = (encoding_format?: string | null) =>
        gateway.api("POST", "/embeddings", {
          body: { model, input: ["a", "b"], encoding_format },
        });
      const [plain, none, numbers, text] = await Promise.all([
        ask(),
        ask(null),
        ask("float"),
        ask("base64"),
      ]);
      assert.deepEqual(plain.body.data, numbers.body.data);
      assert.deepEqual(none.body.data, numbers.body.data);
      const decoded = text.body.data.map(({ embedding }: { embedding: string }) => {
        const bytes = Buffer.from(embedding, "base64");
        return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
      });
      assert.deepEqual(decoded, numbers.body.data.map(({ embedding }: JsonObject) => embedding));
    }
  }
});

Deno.test("more inputs than the upstream takes are asked for in turn, put together and paid once", async () => {
  await using upstream = await startFakeUpstream(floats);
  await using gateway = await startResponsesGateway(upstream.url);
  const { status, body } = await gateway.api("POST", "/embeddings", {
    body: { model: "embed", input: ["a", "b", "c", "d", "e"], user: "me", dimensions: 4 },
  });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data,
    [..."abcde"].map((input, index) => ({
      object: "embedding",
      index,
      embedding: vectorOf(input),
    })),
  );
  assert.deepEqual(body.usage, { prompt_tokens: 5, total_tokens: 5 });
  assert.deepEqual(
    upstream.requests.map((request) => request.json()),
    [["a", "b"], ["c", "d"], ["e"]].map((input) => ({
      model: "upstream-e",
      input,
      user: "me",
      dimensions: 4,
    })),
  );
  // 5 tokens at 2 for a million.
  assert.equal(body.pricing.sale_amount, "0.00001000");
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n - 1_000n, held: 0n });
  const call = await lastCall(gateway);
  assert.deepEqual([call.capability, call.attempts, nested(call.work).promptTokens], [
    "embeddings",
    1,
    5,
  ]);
});

Deno.test("what an upstream does not count is counted here, and told and paid so", async () => {
  await using upstream = await startFakeUpstream(
    embedding({ form: "float", order: "in_order", noUsage: true }),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  for (const input of [["Hello", "World", "again"], [[1, 2], [3]]]) {
    const before = await gateway.balance();
    const { body } = await gateway.api("POST", "/embeddings", { body: { model: "embed", input } });
    assert.deepEqual(body.usage, { prompt_tokens: 3, total_tokens: 3 });
    assert.equal(body.pricing.sale_amount, "0.00000600");
    assert.equal((await gateway.balance()).avail, before.avail - 600n);
    assert.equal((await lastCall(gateway)).usageSource, "estimated");
  }
});

Deno.test("dimensions that the upstream does not keep to are refused, free of charge", async () => {
  await using upstream = await startFakeUpstream(floats);
  await using gateway = await startResponsesGateway(upstream.url);
  const { status, body: { error } } = await gateway.api("POST", "/embeddings", {
    body: { model: "embed", input: "a", dimensions: 256 },
  });
  assert.deepEqual([status, error.code, error.param], [400, "invalid_value", "dimensions"]);
  assert.equal(upstream.requests.length, 1);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});

Deno.test("a later batch that fails fails the whole request, free of charge", async () => {
  await using upstream = await startFakeUpstream((request) =>
    request.body.includes("bad")
      ? jsonReply({ error: { message: "Input is too long", code: "too_long" } }, { status: 400 })
      : floats(request)
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const { status, body } = await gateway.api("POST", "/embeddings", {
    body: { model: "embed", input: ["a", "b", "c", "bad", "e"] },
  });
  assert.deepEqual([status, body.error.message], [400, "Input is too long"]);
  assert.equal(upstream.requests.length, 2);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});

Deno.test("an answer that is no embedding of every input reaches nobody", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply({ object: "list", data: [{ index: 0, embedding: [1, null] }], secret: "gpu-7" }),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const { status, body } = await gateway.api("POST", "/embeddings", {
    body: { model: "embed", input: "a" },
  });
  assert.deepEqual([status, body.error.code], [503, "PROVIDER_TEMPORARILY_UNAVAILABLE"]);
  assert.doesNotMatch(JSON.stringify(body), /gpu-7/);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});

const MILLION = 1_000_000;
/** What is wrong with an input, and where that is said to be. */
const INPUTS: readonly (readonly [what: string, input: unknown, param: string])[] = [
  ["nothing", null, "input"],
  ["a number", 7, "input"],
  ["true", true, "input"],
  ["an object", { text: "a" }, "input"],
  ["an empty text", "", "input"],
  ["an empty list", [], "input"],
  ["an empty text in a list", ["a", ""], "input[1]"],
  ["a number among texts", ["a", 1], "input[1]"],
  ["a list among texts", ["a", [1]], "input[1]"],
  ["a text among tokens", [1, "a"], "input[1]"],
  ["a text among token lists", [[1], "a"], "input[1]"],
  ["a number among token lists", [[1], 2], "input[1]"],
  ["an empty token list", [[1], []], "input[1]"],
  ["nothing in a list", [null], "input[0]"],
  ["nothing in a token list", [[1, null]], "input[0][1]"],
  ["a list too deep", [[[1]]], "input[0][0]"],
  ["a negative token", [1, -1], "input[1]"],
  ["a negative token in a list", [[1], [2, -3]], "input[1][1]"],
  ["a part of a token", [1.5], "input[0]"],
  ["a huge token", [10_000_000], "input[0]"],
  ["a token beyond all numbers", [1e308], "input[0]"],
  ["a million texts", Array(MILLION).fill("a"), "input"],
  ["a million tokens", Array(MILLION).fill(1), "input"],
  // Counted before the body is parsed: of the place only the field is known.
  ["a million tokens in a list", [Array(MILLION).fill(1)], "input"],
  ["a million token lists", Array(MILLION).fill([1]), "input"],
  ["2049 texts", Array(2_049).fill("a"), "input"],
];
const FIELDS:
  readonly (readonly [fields: JsonObject, param: string, code?: string, status?: number])[] = [
    [{ encoding_format: "hex" }, "encoding_format"],
    [{ encoding_format: 7 }, "encoding_format"],
    [{ dimensions: 0 }, "dimensions"],
    [{ dimensions: -64 }, "dimensions"],
    [{ dimensions: 64.5 }, "dimensions"],
    [{ dimensions: "64" }, "dimensions"],
    [{ dimensions: 1e9 }, "dimensions"],
    [{ user: 7 }, "user"],
    [{ model: "" }, "model"],
    [{ model: "none" }, "model", "model_not_found", 404],
    [{ model: "m" }, "model"],
  ];

Deno.test("POST embeddings refuses bad input by name, asks nobody and charges nothing", async () => {
  await using upstream = await startFakeUpstream(floats);
  await using gateway = await startResponsesGateway(upstream.url);
  const cases = [
    ...INPUTS.map(([what, input, param]) => ({ what, fields: { input }, param })),
    ...FIELDS.map(([fields, param, code, status]) => ({
      what: JSON.stringify(fields),
      fields: { input: "a", ...fields },
      param,
      code,
      status,
    })),
    { what: "no input", fields: {}, param: "input", code: "missing_required_parameter" },
  ] as const;
  for (const { what, fields, param, ...rest } of cases) {
    const { code = "invalid_value", status = 400 } = rest as { code?: string; status?: number };
    const answer = await gateway.api("POST", "/embeddings", {
      body: { model: "embed", ...fields },
    });
    const { error } = answer.body;
    assert.deepEqual(
      [answer.status, error.code, error.param, error.type],
      [status, code, param, "invalid_request_error"],
      `${what}: ${JSON.stringify(error).slice(0, 300)}`,
    );
    assert.ok(error.message.length < 300, what);
  }
  assert.equal(upstream.requests.length, 0);
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
  assert.equal(await gateway.admin.storage.calls.lastCallId(), 0);
  const most = await gateway.api("POST", "/embeddings", {
    body: { ...hash, input: Array(2_048).fill("a"), encoding_format: "base64" },
  });
  assert.equal(most.body.data.length, 2_048);
});

Deno.test("openapi.json takes and refuses the same inputs", async () => {
  await using gateway = await startResponsesGateway();
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
  const schema = "#/paths/~1v1~1embeddings/post/requestBody/content/application~1json/schema";
  const faults = (input: unknown) => faultsOf(document, schema, { model: "embed", input });
  for (const input of ["a", ["a", "b"], [1, 2], [[1], [2, 3]], Array(2_048).fill("a")]) {
    assert.deepEqual(faults(input), []);
  }
  for (const [what, input] of INPUTS) {
    if (!what.startsWith("a million")) assert.notDeepEqual(faults(input), [], what);
  }
});

Deno.test("hash-embed-1 refuses what it cannot embed, naming its limits", async () => {
  await using gateway = await startResponsesGateway();
  const refused = [
    [{ dimensions: 63 }, "invalid_value", "dimensions", /from 64 to 1536/],
    [{ dimensions: 1_537 }, "invalid_value", "dimensions", /from 64 to 1536/],
    [{ input: "long ".repeat(10_000) }, "context_length_exceeded", "input", /than 8192 tokens/],
  ] as const;
  for (const [fields, code, param, message] of refused) {
    const { status, body: { error } } = await gateway.api("POST", "/embeddings", {
      body: { model: "hash-embed-1", input: "a", ...fields },
    });
    assert.deepEqual([status, error.code, error.param], [400, code, param]);
    assert.match(error.message, message);
  }
  assert.deepEqual(await gateway.balance(), { avail: 10_00000000n, held: 0n });
});
