/**
 * What is asked of every upstream that embeds, and what has to come of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { FakeUpstream } from "../../../support/fake_upstream.ts";
import type { ServedGateway } from "../../../support/served_gateway.ts";
import {
  base64Of,
  type EmbeddingVendor,
  type Manners,
  tokensOf,
  USUAL_DIMENSIONS,
  vectorOf,
} from "./vendors.ts";

/** An upstream that embeds, and a gateway before it. */
export interface EmbeddingScene {
  readonly vendor: EmbeddingVendor;
  readonly upstream: FakeUpstream;
  readonly gateway: ServedGateway;
  readonly key: string;
  /** A model whose route has not failed yet. */
  readonly model: () => string;
  /** Of the project, as told. */
  readonly balance: () => Promise<string>;
}

/** A million tokens cost a dollar and are sold for two. */
const SOLD_E8_PER_TOKEN = 200n;
const MODEL = "upstream-model";
const TEXTS = ["Hello there", "a", "Wörld 🙂"];

/** How a question goes out and comes back. */
interface Asked {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly inputs: readonly (string | readonly number[])[];
}

const QUESTIONS: { readonly [name: string]: Asked } = {
  "a text": { fields: { input: TEXTS[0] }, inputs: [TEXTS[0]!] },
  "several texts": { fields: { input: TEXTS }, inputs: TEXTS },
  "base64": { fields: { input: TEXTS, encoding_format: "base64" }, inputs: TEXTS },
  "dimensions": { fields: { input: TEXTS, dimensions: 2 }, inputs: TEXTS },
  "dimensions in base64": {
    fields: { input: TEXTS, dimensions: 3, encoding_format: "base64" },
    inputs: TEXTS,
  },
};

/** The scenes by their names. */
export const SCENES: { readonly [name: string]: (scene: EmbeddingScene) => Promise<void> } = {
  ...Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, asked]) => [
      name,
      (scene: EmbeddingScene) => tellQuestion(scene, asked),
    ]),
  ),
  "more texts than one request takes": tellMany,
  "tokens in place of texts": tellTokens,
  "counts that are not told are estimated": tellUncounted,
  "a length that the model has not": tellFixedLength,
  "a vector is missing": tellTooFew,
  "a fault of the request": tellFault,
  "it is busy": (scene) => tellTrouble(scene, "busy"),
  "it is broken": (scene) => tellTrouble(scene, "broken"),
};

async function ask(
  { gateway, key }: EmbeddingScene,
  fields: object,
  model = "usual",
): Promise<Response> {
  return await fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, ...fields }),
  });
}

function answers({ upstream, vendor }: EmbeddingScene, manners: Manners = {}): void {
  upstream.answer((request) => vendor.embed(vendor.hear(request), request, manners));
}

async function tellQuestion(scene: EmbeddingScene, { fields, inputs }: Asked): Promise<void> {
  const { vendor, upstream, key } = scene;
  answers(scene);
  const before = await scene.balance();
  const answer = await ask(scene, fields);
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  const { dimensions, encoding_format: format } = fields as {
    readonly dimensions?: number;
    readonly encoding_format?: string;
  };
  const vectors = inputs.map((input) => vectorOf(input, dimensions));
  assert.deepEqual(
    body.data,
    vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: format === "base64" ? base64Of(vector) : vector,
    })),
  );
  const tokens = sumOf(inputs);
  const cost = BigInt(tokens) * SOLD_E8_PER_TOKEN;
  assert.partialDeepStrictEqual(body, {
    object: "list",
    provider: "vendor",
    route: "vendor/usual",
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    pricing: { currency: "USD", cost_amount: decimal(cost / 2n), sale_amount: decimal(cost) },
  });
  assert.equal(e8(before) - e8(await scene.balance()), cost);
  const request = upstream.requests.at(-1)!;
  assert.deepEqual(vendor.hear(request), { model: MODEL, inputs, dimensions });
  assert.equal((request.head + request.body).includes(key), false);
}

async function tellMany(scene: EmbeddingScene): Promise<void> {
  const { vendor, upstream } = scene;
  answers(scene);
  const inputs = Array.from({ length: vendor.mostInputs + 1 }, (_, at) => `${at % 10}`);
  const asked = upstream.requests.length;
  const body = await (await ask(scene, { input: inputs })).json();
  assert.equal(upstream.requests.length - asked, 2);
  assert.deepEqual(
    body.data.map(({ embedding }: { readonly embedding: unknown }) => embedding),
    inputs.map((input) => vectorOf(input)),
  );
  assert.equal(body.usage.prompt_tokens, inputs.length);
}

async function tellTokens(scene: EmbeddingScene): Promise<void> {
  const { vendor, upstream } = scene;
  const inputs = [[15_339, 1_070], [257]];
  if (vendor.takesTokens) return await tellQuestion(scene, { fields: { input: inputs }, inputs });
  const [before, asked] = [await scene.balance(), upstream.requests.length];
  const answer = await ask(scene, { input: inputs });
  const { error } = await answer.json();
  assert.deepEqual([answer.status, error.param], [400, "input"]);
  assert.match(error.message, /send 'input' as text/);
  assert.equal(upstream.requests.length, asked);
  assert.equal(await scene.balance(), before);
}

async function tellUncounted(scene: EmbeddingScene): Promise<void> {
  answers(scene, { noCounts: true });
  const before = await scene.balance();
  const answer = await ask(scene, { input: TEXTS });
  const { usage, pricing } = await answer.json();
  assert.ok(usage.prompt_tokens > 2 && usage.prompt_tokens < 40, String(usage.prompt_tokens));
  const cost = BigInt(usage.prompt_tokens) * SOLD_E8_PER_TOKEN;
  assert.equal(pricing.sale_amount, decimal(cost));
  assert.equal(e8(before) - e8(await scene.balance()), cost);
}

async function tellFixedLength(scene: EmbeddingScene): Promise<void> {
  answers(scene, { fixedLength: true });
  const before = await scene.balance();
  const answer = await ask(scene, { input: "Hello", dimensions: 3 });
  const { error } = await answer.json();
  assert.deepEqual([answer.status, error.param], [400, "dimensions"]);
  assert.match(error.message, new RegExp(`vectors have ${USUAL_DIMENSIONS} numbers`));
  assert.equal(await scene.balance(), before);
}

async function tellTooFew(scene: EmbeddingScene): Promise<void> {
  answers(scene, { tooFew: true });
  const before = await scene.balance();
  const answer = await ask(scene, { input: TEXTS }, scene.model());
  const text = await answer.text();
  assert.ok([502, 503].includes(answer.status), text);
  assert.equal(await scene.balance(), before);
}

async function tellFault(scene: EmbeddingScene): Promise<void> {
  const message = "The input is of more words than the model reads";
  scene.upstream.answer(scene.vendor.fail({ kind: "caller", message }));
  const before = await scene.balance();
  const answer = await ask(scene, { input: "Hello" });
  const { error } = await answer.json();
  assert.deepEqual([answer.status, error.message], [400, message]);
  assert.equal(await scene.balance(), before);
}

async function tellTrouble(scene: EmbeddingScene, kind: "busy" | "broken"): Promise<void> {
  const { upstream, vendor } = scene;
  upstream.answer(vendor.fail({ kind, message: "Nobody shall read this" }));
  const [before, asked] = [await scene.balance(), upstream.requests.length];
  const answer = await ask(scene, { input: "Hello" }, scene.model());
  const text = await answer.text();
  assert.ok([429, 502, 503].includes(answer.status), text);
  assert.equal(text.includes("Nobody shall"), false);
  assert.ok(upstream.requests.length > asked);
  assert.equal(await scene.balance(), before);
}

function sumOf(inputs: Asked["inputs"]): number {
  return inputs.reduce((sum, input) => sum + tokensOf(input), 0);
}

/** In hundred-millionths of a dollar. */
function e8(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}

function decimal(amount: bigint): string {
  const digits = String(amount).padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
