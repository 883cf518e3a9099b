/**
 * What one project's trouble with an upstream is to the others, and what a caller
 * is told of trouble that is not its own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, twoRoutes } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";

const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const onA = { ...ask, route: "a/m" };
const cheapest = { ...ask, routing_preference: "lowest_price" };

const OWN_FAULTS: readonly [name: string, status: number, body: object, told: [number, string]][] =
  [
    [
      "402 fewer max_tokens",
      402,
      { error: { message: "This request requires more credits, or fewer max_tokens.", code: 402 } },
      [400, "ROUTE_NOT_SELECTABLE"],
    ],
    [
      "429 request too large",
      429,
      { error: { message: "Request too large for x: Limit 3, Requested 9", type: "tokens" } },
      [400, "ROUTE_NOT_SELECTABLE"],
    ],
    [
      "404 without a model's code",
      404,
      { error: { message: "No endpoints found that support image input" } },
      [503, "PROVIDER_TEMPORARILY_UNAVAILABLE"],
    ],
    ["401 without a word", 401, {}, [503, "PROVIDER_TEMPORARILY_UNAVAILABLE"]],
  ];

for (const [name, status, refusal, [told, code]] of OWN_FAULTS) {
  Deno.test(`a ${name} of one project closes the route for nobody`, async () => {
    await using upstream = await startFakeUpstream((request): Reply =>
      request.body.includes("special")
        ? jsonReply(refusal, { status })
        : jsonReply(answerBody("Hi"))
    );
    await using gateway = await startTestGateway({
      catalogue: twoRoutes(upstream.url, upstream.url),
    });
    const special = { ...onA, messages: [{ role: "user", content: "special" }] };
    for (let call = 0; call < 3; call++) {
      const refused = await gateway.chat(special);
      assert.equal(refused.status, told);
      assert.equal((await refused.json()).error.code, code);
      assert.equal((await gateway.chat(onA)).status, 200);
    }
    const fallenBack = await gateway.chat({ ...special, route: undefined });
    assert.equal(fallenBack.status, told === 503 ? 503 : 404);
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    assert.equal((await gateway.chat(onA, { key })).status, 200);
  });
}

Deno.test("a doubtful refusal that two projects meet cools the route", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}, { status: 401 }));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  await gateway.chat(onA);
  assert.equal(gateway.admin.health.coolingUntil("a/m"), 0);
  await gateway.chat(onA, { key });
  assert.equal(gateway.admin.health.coolingReason("a/m"), "cooling_down");
  assert.notEqual(gateway.admin.health.coolingUntil("a/m"), 0);
});

Deno.test("a caller is told what the operator has to mend, and nothing internal", async () => {
  const said =
    "The model `secret-name` does not exist at https://10.1.2.3/v1 for key sk-abcdefgh12";
  await using upstream = await startFakeUpstream(
    jsonReply({ error: { message: said, code: "model_not_found" } }, { status: 404 }),
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  for (let call = 0; call < 2; call++) {
    const response = await gateway.chat(onA);
    const text = await response.text();
    assert.equal(response.status, 503);
    assert.match(
      JSON.parse(text).error.message,
      /^No route of model 'm' serves this request now: its upstream does not know the model\. Choose another model or tell the operator$/,
    );
    assert.doesNotMatch(text, /secret-name|10\.1\.2\.3|sk-abc/);
  }
});

Deno.test("a caller is told a doubtful refusal in its upstream's words, cleaned", async () => {
  const said =
    "No endpoints found that support image input, ask sk-abcdefgh12 at http://10.1.2.3/x";
  await using upstream = await startFakeUpstream(
    jsonReply({ error: { message: said } }, { status: 404 }),
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  const { error } = await (await gateway.chat(onA)).json();
  assert.match(error.message, /refuses this request \(upstream answered 404: No endpoints found/);
  assert.equal(error.routes[0].reason, "attempt_refused");
  assert.doesNotMatch(error.message, /sk-abc|10\.1\.2\.3/);
});

/** A gateway of two projects, one of which has something special to say. */
async function specialAndPaying(refusal: Reply) {
  const upstream = await startFakeUpstream((request): Reply =>
    request.body.includes("special") ? refusal : jsonReply(answerBody("Hi"))
  );
  const gateway = await startTestGateway({ catalogue: twoRoutes(upstream.url, upstream.url) });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  return {
    /** Status, route and Retry-After of what a caller is answered. */
    async special(body: object) {
      const messages = [{ role: "user", content: "special" }];
      const response = await gateway.chat({ ...body, messages });
      await response.body?.cancel();
      return [response.status, response.headers.get("retry-after")];
    },
    async pays(body: object) {
      const response = await gateway.chat(body, { key });
      const { route, error } = await response.json();
      return [response.status, route ?? error.code];
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

Deno.test("requests that an upstream fails at shut the route for their project alone", async () => {
  await using world = await specialAndPaying(jsonReply({}, { status: 500 }));
  const { special, pays } = world;
  for (let call = 0; call < 3; call++) assert.deepEqual(await special(onA), [503, "1"]);
  assert.deepEqual(await pays(onA), [200, "a/m"]);
  assert.deepEqual(await pays(cheapest), [200, "a/m"]);
  assert.deepEqual(await special(onA), [503, "1"]);
  assert.deepEqual(await pays(onA), [200, "a/m"]);
});

Deno.test("a long Retry-After keeps away the project that was told, and no other", async () => {
  await using world = await specialAndPaying(
    jsonReply({}, { status: 429, headers: { "retry-after": "300" } }),
  );
  const { special, pays } = world;
  // Callers are told a minute at most.
  assert.deepEqual(await special(onA), [503, "60"]);
  assert.deepEqual(await pays(cheapest), [200, "a/m"]);
  assert.deepEqual(await pays(onA), [200, "a/m"]);
  assert.deepEqual(await pays(onA), [200, "a/m"]);
  assert.deepEqual(await special(onA), [503, "60"]);
});
