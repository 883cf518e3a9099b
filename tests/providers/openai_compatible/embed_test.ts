import assert from "node:assert/strict";
import { nested } from "../../support/nested_tokens.ts";
import type { BodyRules } from "../../../src/domain/catalogue.ts";
import type { ProviderCall } from "../../../src/providers/contract/provider.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { embedding, vectorOf } from "../../support/embedding_upstream.ts";
import { startFakeUpstream } from "../../support/fake_upstream.ts";
import { chatRoute, failureOf, never, openAiCompatible } from "../../support/provider_parts.ts";

function callWith(
  fields: JsonObject,
  { maxInputs, body }: { maxInputs?: number; body?: Partial<BodyRules> } = {},
): ProviderCall {
  return {
    route: chatRoute({
      supports: maxInputs === undefined ? {} : { maxInputs },
      ...body && { body },
    }),
    body: { model: "model", input: ["Aa", "Bb", "Cc"], ...fields },
    outputTokensCap: undefined,
  };
}

function dataOf(input: readonly string[], write = (vector: readonly number[]): unknown => vector) {
  return input.map((one, index) => ({
    object: "embedding",
    index,
    embedding: write(vectorOf(one)),
  }));
}

const floats = embedding({ form: "float", order: "reversed" });

Deno.test("embed() gives the answer under the upstream's name for the model, with its usage", async () => {
  await using upstream = await startFakeUpstream(floats);
  const provider = openAiCompatible(upstream.url);
  for (const maxInputs of [2, 3]) {
    const { body, usage, text } = await provider.speaks.openai_embeddings.answer(
      callWith({}, { maxInputs }),
      never(),
    );
    assert.deepEqual(body, {
      object: "list",
      data: dataOf(["Aa", "Bb", "Cc"]),
      model: "upstream-model",
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
    assert.equal(nested(usage)?.promptTokens, 3);
    assert.equal(text(), "");
  }
});

Deno.test("embed() sends nothing where the caller sends null, so that a route's defaults apply", async () => {
  await using upstream = await startFakeUpstream(floats);
  const fields = { encoding_format: null, dimensions: null, user: null };
  const rules = { default: { dimensions: 4 } };
  const provider = openAiCompatible(upstream.url);
  await provider.speaks.openai_embeddings.answer(callWith(fields), never());
  await provider.speaks.openai_embeddings.answer(callWith(fields, { body: rules }), never());
  const sent = { model: "upstream-model", input: ["Aa", "Bb", "Cc"] };
  assert.deepEqual(upstream.requests.map((request) => request.json()), [
    sent,
    { ...sent, dimensions: 4 },
  ]);
});

Deno.test("embed() gives base64 also where the route keeps the wish from its upstream", async () => {
  await using upstream = await startFakeUpstream(floats);
  const rules = { drop: ["encoding_format"] };
  const call = callWith({ encoding_format: "base64" }, { body: rules });
  const { body } = await openAiCompatible(upstream.url).speaks.openai_embeddings.answer(
    call,
    never(),
  );
  const [{ embedding: first }] = body.data as [{ embedding: string }];
  const decoded = new Float32Array(Uint8Array.fromBase64(first).buffer);
  assert.deepEqual([...decoded], vectorOf("Aa"));
  assert.equal("encoding_format" in upstream.requests[0]!.json(), false);
});

Deno.test("embed() refuses dimensions that the upstream does not keep to, and those alone", async () => {
  await using upstream = await startFakeUpstream(floats);
  const provider = openAiCompatible(upstream.url);
  for (const encoding_format of [undefined, "base64"]) {
    const call = callWith({ dimensions: 3, encoding_format });
    const { failure, status, code, param, publicMessage } = await failureOf(
      provider.speaks.openai_embeddings.answer(call, never()),
    );
    assert.deepEqual([failure, status, code, param], [
      "caller",
      400,
      "invalid_value",
      "dimensions",
    ]);
    assert.match(publicMessage!, /vectors have 4 numbers/);
    await provider.speaks.openai_embeddings.answer(
      callWith({ dimensions: 4, encoding_format }),
      never(),
    );
    // What an operator keeps from the upstream is not what the upstream is measured by.
    const dropped = { body: { drop: ["dimensions"] } };
    await provider.speaks.openai_embeddings.answer(
      callWith({ dimensions: 3, encoding_format }, dropped),
      never(),
    );
  }
});

Deno.test("embed() asks for no further batch once its caller is gone", async () => {
  const caller = new AbortController();
  await using upstream = await startFakeUpstream((request) => {
    caller.abort();
    return floats(request);
  });
  const error = await failureOf(
    openAiCompatible(upstream.url).speaks.openai_embeddings.answer(
      callWith({}, { maxInputs: 1 }),
      caller.signal,
    ),
  );
  assert.equal(error.failure, "aborted");
  assert.equal(upstream.requests.length, 1);
});
