/**
 * Embeddings through clients as their users have them, against the program: both
 * majors of `openai`, and LangChain.
 *
 * @module
 */

import { OpenAIEmbeddings } from "@langchain/openai";
import assert from "node:assert/strict";
import schemas from "../fixtures/openai/embedding_schemas.json" with { type: "json" };
import { embedding, type EmbeddingManners, vectorOf } from "../support/embedding_upstream.ts";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { assertSatisfies } from "../support/schema_check.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { assertFails } from "./openai_sdk/assert_fails.ts";
import { MAJORS } from "./openai_sdk/majors.ts";
import type { Client } from "./openai_sdk/scene.ts";

const MOST_INPUTS = 3;
const FORMS = ["float", "base64", "as_asked"] as const;
const ORDERS = ["in_order", "reversed"] as const;
const MANNERS: readonly EmbeddingManners[] = FORMS.flatMap((form) =>
  ORDERS.map((order) => ({ form, order, mostInputs: MOST_INPUTS }))
);
/** More than two batches. */
const TEXTS = ["Aa", "Bbb", "Cccc", "Dd", "Łódź 🎈", "F", "Gg"];

function catalogue(upstream: FakeUpstream): string {
  const price = `sale: { input: "2" }, cost: { input: "1" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: faulty, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
  - id: hash-embed-1
    kind: embedding
    routes: [{ id: builtin/hash-embed-1, provider: builtin, upstream_model: hash-embed-1, ${price} }]
  - id: remote
    kind: embedding
    routes:
      - { id: faulty/remote, provider: faulty, upstream_model: theirs, supports: { max_inputs: ${MOST_INPUTS} }, ${price} }
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, free: true }]
projects:
  - { id: default, unlimited: true }
  - { id: broke, unlimited: false }
`;
}

function startGateway(upstream: FakeUpstream) {
  return serveGateway({ catalogue: catalogue(upstream) });
}

function lengthOf(vector: readonly number[]): number {
  return Math.hypot(...vector);
}

/** The same numbers, but for what 32 bits cannot hold. */
function assertClose(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, index) => assert.ok(Math.abs(value - expected[index]!) < 1e-6));
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client has texts embedded`, async (test) => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    await using gateway = await startGateway(upstream);
    const { url, server: { key } } = gateway;
    const baseURL = `${url}/v1`;
    const client: Client = new sdk.OpenAI({ baseURL, apiKey: key });

    await test.step("by default, which is base64 on the wire, and as floats", async () => {
      const { data, request_id } = await client.embeddings.create({
        model: "hash-embed-1",
        input: "Hello there, gateway!",
      }).withResponse();
      assertSatisfies(schemas, "CreateEmbeddingResponse", data);
      assert.equal(data.model, "hash-embed-1");
      assert.ok(Math.abs(lengthOf(data.data[0]!.embedding) - 1) < 1e-6);
      const { usage } = data;
      assert.ok(usage.prompt_tokens > 0 && usage.total_tokens === usage.prompt_tokens);
      const { provider, route, pricing } = data as unknown as Record<string, unknown>;
      assert.deepEqual([provider, route], ["builtin", "builtin/hash-embed-1"]);
      const sale_amount = `0.${String(200 * usage.prompt_tokens).padStart(8, "0")}`;
      const cost_amount = `0.${String(100 * usage.prompt_tokens).padStart(8, "0")}`;
      assert.deepEqual(pricing, { currency: "USD", cost_amount, sale_amount });
      const call = await gateway.get(`/v1/calls/${request_id}`, key);
      assert.deepEqual([call.capability, call.state], ["embeddings", "settled"]);
      assert.equal(call.usage.prompt_tokens, usage.prompt_tokens);

      const floats = await client.embeddings.create({
        model: "hash-embed-1",
        input: "Hello there, gateway!",
        encoding_format: "float",
      });
      assertSatisfies(schemas, "CreateEmbeddingResponse", floats);
      assertClose(data.data[0]!.embedding, floats.data[0]!.embedding);
      const raw = await client.embeddings.create({
        model: "hash-embed-1",
        input: "Hello there, gateway!",
        encoding_format: "base64",
      });
      assert.equal(typeof raw.data[0]!.embedding, "string");
    });

    await test.step("in other dimensions", async () => {
      for (const dimensions of [64, 256, 1_536]) {
        const { data: [one] } = await client.embeddings.create({
          model: "hash-embed-1",
          input: "Hello",
          dimensions,
        });
        assert.equal(one!.embedding.length, dimensions);
        assert.ok(Math.abs(lengthOf(one!.embedding) - 1) < 1e-5);
      }
      await assertFails(
        { sdk },
        client.embeddings.create({ model: "hash-embed-1", input: "Hello", dimensions: 63 }),
        {
          class: "BadRequestError",
          status: 400,
          code: "invalid_value",
          type: "invalid_request_error",
          param: "dimensions",
        },
      );
    });

    await test.step("as tokens, one list and several", async () => {
      const model = "hash-embed-1";
      const one = await client.embeddings.create({ model, input: [15339, 1917] });
      const several = await client.embeddings.create({ model, input: [[15339, 1917], [42]] });
      assertSatisfies(schemas, "CreateEmbeddingResponse", several);
      assert.deepEqual(several.data.map(({ index }) => index), [0, 1]);
      assert.deepEqual(several.data[0]!.embedding, one.data[0]!.embedding);
      assert.notDeepEqual(several.data[1]!.embedding, one.data[0]!.embedding);
      assert.deepEqual([one.usage.prompt_tokens, several.usage.prompt_tokens], [2, 3]);
    });

    await test.step("in batches, in whichever form and order the upstream answers", async () => {
      const tokens = TEXTS.map((_, index) => [100 + index, 200 + index]);
      for (const manners of MANNERS) {
        upstream.answer(embedding(manners));
        for (const input of [TEXTS, tokens]) {
          for (const encoding_format of [undefined, "float"] as const) {
            const before = upstream.requests.length;
            const answer = await client.embeddings.create({
              model: "remote",
              input: input as string[],
              ...(encoding_format !== undefined && { encoding_format }),
            });
            assertSatisfies(schemas, "CreateEmbeddingResponse", answer);
            assert.deepEqual(answer.data.map((one) => one.embedding), input.map(vectorOf));
            assert.deepEqual(answer.data.map(({ index }) => index), [...input.keys()]);
            assert.equal(answer.usage.prompt_tokens, input.length);
            assert.equal(answer.model, "remote");
            const asked = upstream.requests.slice(before).map((request) => request.json());
            assert.deepEqual(
              asked.map(({ input: batch }) => (batch as unknown[]).length),
              [3, 3, 1],
            );
            assert.ok(asked.every(({ model }) => model === "theirs"));
          }
        }
      }
    });

    await test.step("or refused, with the reason", async () => {
      const invalid = { class: "BadRequestError", status: 400, type: "invalid_request_error" };
      const wrong: readonly (readonly [input: unknown, param: string])[] = [
        ["", "input"],
        [[], "input"],
        [["a", ""], "input[1]"],
        [[1, -1], "input[1]"],
        [[[1], [1.5]], "input[1][0]"],
        [Array(2_049).fill("a"), "input"],
      ];
      const asked = upstream.requests.length;
      for (const [input, param] of wrong) {
        await assertFails(
          { sdk },
          client.embeddings.create({ model: "remote", input: input as string }),
          { ...invalid, code: "invalid_value", param },
        );
      }
      assert.equal(upstream.requests.length, asked);
      await assertFails({ sdk }, client.embeddings.create({ model: "echo-1", input: "Hi" }), {
        ...invalid,
        code: "invalid_value",
        param: "model",
      });
      await assertFails({ sdk }, client.embeddings.create({ model: "none", input: "Hi" }), {
        class: "NotFoundError",
        status: 404,
        code: "model_not_found",
        type: "invalid_request_error",
        param: "model",
      });
      const broke = new sdk.OpenAI({ baseURL, apiKey: await gateway.key("broke") });
      await assertFails({ sdk }, broke.embeddings.create({ model: "remote", input: "Hi" }), {
        class: "APIError",
        status: 402,
        code: "INSUFFICIENT_BALANCE",
        type: "insufficient_quota",
        param: null,
      });
      upstream.answer(jsonReply({ object: "list", data: [], model: "theirs" }));
      await assertFails(
        { sdk },
        client.embeddings.create({ model: "remote", input: "Hi" }, { maxRetries: 0 }),
        {
          class: "InternalServerError",
          status: 503,
          code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
          type: "server_error",
          param: null,
        },
      );
    });

    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    const { code, stderr } = await gateway.server.stop();
    assert.equal(code, 0);
    assert.ok(!stderr.includes(key), "the log has the key");
    assert.doesNotMatch(stderr, /Hello there|internal_error|TypeError/);
  });
}

Deno.test("LangChain has documents and queries embedded", async () => {
  await using upstream = await startFakeUpstream(
    embedding({ form: "as_asked", order: "reversed", mostInputs: MOST_INPUTS }),
  );
  await using gateway = await startGateway(upstream);
  const configuration = { baseURL: `${gateway.url}/v1` };
  const apiKey = gateway.server.key;
  const local = new OpenAIEmbeddings({ model: "hash-embed-1", apiKey, configuration });
  const documents = [
    "The cat sat on the mat",
    "A cat was sitting on the mat",
    "Interest rates rose again in March",
  ];
  const vectors = await local.embedDocuments(documents);
  const query = await local.embedQuery("the cat sat on the mat");
  const nearness = vectors.map((vector) =>
    vector.reduce((sum, value, index) => sum + value * query[index]!, 0)
  );
  assert.deepEqual(nearness.toSorted((a, b) => b - a), nearness);
  assert.ok(nearness[0]! > 0.9 && nearness[2]! < 0.3, String(nearness));

  const short = new OpenAIEmbeddings({
    model: "hash-embed-1",
    dimensions: 64,
    apiKey,
    configuration,
  });
  assert.equal((await short.embedQuery("Hello")).length, 64);

  const remote = new OpenAIEmbeddings({ model: "remote", batchSize: 5, apiKey, configuration });
  assert.deepEqual(await remote.embedDocuments(TEXTS), TEXTS.map(vectorOf));
});
