/**
 * Models whose id stands for many names: who may ask for which, what is sent, charged and kept, and
 * what becomes of names that the upstream does not know.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];

function catalogue(url: string): string {
  return `providers:
  - { id: up, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: open/*
    kind: chat
    routes:
      - { id: open/*, provider: up, cost: { input: "1", output: "2" }, sale: { markup: "2" } }
  - id: open/special/*
    kind: chat
    routes:
      - { id: special, provider: up, upstream_model: "vendor-*", free: true }
  - id: unpriced/*
    kind: chat
    routes:
      - { id: unpriced, provider: up }
  - id: open/named
    kind: chat
    routes:
      - { id: named, provider: up, upstream_model: own-name, free: true }
projects:
  - { id: free, unlimited: true, models: ["open/*"] }
  - { id: paying, models: ["open/a*"] }
`;
}

const UNKNOWN = jsonReply(
  { error: { message: "No such model: it is at http://10.0.0.1/x", code: "model_not_found" } },
  { status: 404 },
);

async function bench(reply: Reply | ((model: unknown) => Reply) = jsonReply(answerBody("Hello"))) {
  const upstream = await startFakeUpstream((request) =>
    typeof reply === "function" ? reply(request.json().model) : reply
  );
  const gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
  return {
    upstream,
    gateway,
    ask: (model: string, key?: string) =>
      gateway.chat({ model, messages: MESSAGES }, key === undefined ? {} : { key }),
    models: () => upstream.requests.map((request) => request.json().model),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream.stop();
    },
  };
}

Deno.test("what follows the wildcard is the upstream's model, the longest wildcard first", async () => {
  await using on = await bench();
  const names = ["open/vendor/model:free", "open/special/$&x", "open/special/x", "open/named"];
  for (const name of names) {
    const response = await on.ask(name);
    const body = await response.json();
    if (name.includes("$")) assert.equal(response.status, 404);
    else assert.deepEqual([response.status, body.model], [200, name]);
  }
  assert.deepEqual(on.models(), ["vendor/model:free", "vendor-x", "own-name"]);
});

Deno.test("a call by a wildcard is priced as its route is, and kept under its name", async () => {
  await using on = await bench();
  await on.gateway.credit("paying", "10");
  const key = await on.gateway.key("paying");
  const body = await (await on.ask("open/abc", key)).json();
  assert.equal(body.route, "open/*");
  const { prompt_tokens: read, completion_tokens: written } = body.usage;
  const cost = (read * 1 + written * 2) / 1e6;
  assert.equal(Number(body.pricing.cost_amount), cost);
  assert.equal(Number(body.pricing.sale_amount), 2 * cost);
});

Deno.test("who may use some names may not use others", async () => {
  await using on = await bench();
  await on.gateway.credit("paying", "10");
  const key = await on.gateway.key("paying");
  assert.equal((await on.ask("open/abc", key)).status, 200);
  assert.equal((await on.ask("open/xyz", key)).status, 403);
  assert.equal((await on.ask("unpriced/x", key)).status, 403);
});

Deno.test("a wildcard without prices serves nothing, and says why", async () => {
  await using on = await bench();
  const response = await on.ask("unpriced/x");
  const { error } = await response.json();
  assert.equal(response.status, 404);
  assert.match(error.message, /No route of model 'unpriced\/x'.*it has no price/);
  assert.equal(error.routes[0].reason, "unpriced");
  assert.equal(on.upstream.requests.length, 0);
});

Deno.test("a name that the upstream does not know is its caller's fault, and rests nobody's route", async () => {
  await using on = await bench((model) => model === "good" ? jsonReply(answerBody("Hi")) : UNKNOWN);
  for (let call = 0; call < 3; call++) {
    const response = await on.ask(`open/none-${call}`);
    const { error } = await response.json();
    assert.equal(response.status, 404);
    assert.equal(error.code, "model_not_found");
    assert.equal(error.message, `The upstream does not know the model 'none-${call}'`);
  }
  assert.equal(on.gateway.admin.health.coolingUntil("open/*"), 0);
  assert.equal((await on.ask("open/good")).status, 200);
});

Deno.test("names that are no names of models are asked of nobody", async () => {
  await using on = await bench();
  for (
    const name of ["open/", "open//x", "open/ x", "open/x/", `open/${"x".repeat(300)}`, "opens/x"]
  ) {
    assert.equal((await on.ask(name)).status, name.length > 200 ? 400 : 404, name);
  }
  assert.equal(on.upstream.requests.length, 0);
});
