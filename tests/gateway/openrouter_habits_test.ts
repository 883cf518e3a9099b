/**
 * Requests as OpenRouter's callers write them: providers as an object, several models, suffixes, and
 * what a call cost in its usage.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setModel } from "../../src/admin/catalogue/models.ts";
import { disableRoute } from "../../src/admin/catalogue/route_switches.ts";
import { explainRoutes } from "../../src/admin/explain.ts";
import { setProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const HELLO = { messages: [{ role: "user", content: "Hello" }] };

/** Model `big` at providers a (2/4), b (10/20) and c (4/8, drops a field); `small` at b alone (1/1). */
function catalogue({ url }: FakeUpstream): string {
  const provider = (id: string) =>
    `  - { id: ${id}, kind: openai_compatible, base_url: "${url}/${id}/v1", auth: none }`;
  const route = (id: string, upstream: string, rest: string) =>
    `      - { id: ${id}, provider: ${id[0]}, upstream_model: ${upstream}, ${rest} }`;
  return `
currency: USD
providers:
${["a", "b", "c"].map(provider).join("\n")}
models:
  - id: big
    kind: chat
    aliases: ["kept:free"]
    routes:
${route("a/big", "big-a", 'cost: { input: "1", output: "2" }, sale: { markup: "2" }')}
${route("b/big", "big-b", 'sale: { input: "10", output: "20", request: "0.01" }')}
${
    route(
      "c/big",
      "big-c",
      'sale: { input: "4", output: "8" }, drop: [seed], supports: { tools: true }',
    )
  }
  - id: small
    kind: chat
    routes:
${route("b/small", "small-b", 'sale: { input: "1", output: "1" }')}
  - id: fixed
    kind: chat
    manual_selection: false
    routes:
${route("a/fixed", "fixed-a", "free: true")}
  - id: secret
    kind: chat
    routes:
${route("a/secret", "secret-a", "free: true")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false, models: [big, small] }
`;
}

interface World {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  /** Upstream models asked since the last look. */
  asked(): readonly string[];
  /** Status and body of an answer, or the error. */
  ask(body: object, key?: string): Promise<Told>;
}

// deno-lint-ignore no-explicit-any -- answers and errors, read as they come
type Told = any;

/** Upstream models in `down` answer 500. */
async function withWorld(
  run: (world: World) => Promise<void>,
  down: ReadonlySet<string> = new Set(),
): Promise<void> {
  const seen: string[] = [];
  await using upstream = await startFakeUpstream((request): Reply => {
    const { model, stream } = JSON.parse(request.body);
    seen.push(model);
    if (down.has(model)) return jsonReply({ error: { message: "broken" } }, { status: 500 });
    return stream === true
      ? sseReply([chunk({ content: "Hi" }), finishChunk(), usageChunk(10, 5)])
      : jsonReply(answerBody("Hi"));
  });
  await using gateway = await startTestGateway({ catalogue: catalogue(upstream) });
  await run({
    gateway,
    upstream,
    asked: () => seen.splice(0),
    async ask(body, key) {
      const response = await gateway.chat({ ...HELLO, ...body }, { key });
      return { status: response.status, ...await response.json() };
    },
  });
}

Deno.test("'provider' as an object orders, restricts and leaves out, by ids of providers or routes", async () => {
  await withWorld(async ({ ask, upstream }) => {
    const routeOf = async (provider: object) => (await ask({ model: "big", provider })).route;
    for (let round = 0; round < 5; round++) {
      assert.equal(await routeOf({ order: ["B", "a"] }), "b/big");
      assert.equal(await routeOf({ order: ["nobody", "c/big"] }), "c/big");
      assert.equal(await routeOf({ only: ["c"] }), "c/big");
      assert.equal(await routeOf({ ignore: ["a", "c/big"] }), "b/big");
      assert.equal(await routeOf({ sort: "price", ignore: ["a"] }), "c/big");
      assert.equal(await routeOf({ sort: { by: "price", partition: "model" } }), "a/big");
    }
    for (const { body } of upstream.requests) {
      const { model: _model, ...rest } = JSON.parse(body);
      assert.deepEqual(rest, HELLO, "the object goes to nobody");
    }
  });
});

Deno.test("without fallbacks only what 'order' names is tried, or the first choice", async () => {
  await withWorld(async ({ ask, asked }) => {
    const provider = { order: ["b", "a"], allow_fallbacks: false };
    const ordered = await ask({ model: "big", provider });
    assert.equal(ordered.status, 503);
    assert.deepEqual(asked().slice(0, 2), ["big-b", "big-a"]);
    assert.deepEqual(
      ordered.error.routes.filter(({ route }: Told) => route === "c/big"),
      [{
        route: "c/big",
        provider: "c",
        reason: "fallback_not_allowed",
        detail: "not in 'provider.order'",
      }],
    );
    const first = await ask({ model: "big", provider: { sort: "price", allow_fallbacks: false } });
    assert.equal(first.status, 503);
    assert.deepEqual([...new Set(asked())], ["big-a"]);
    assert.equal(first.error.routes.length, 3);
    // With them the third one serves.
    assert.equal((await ask({ model: "big", provider: { order: ["b", "a"] } })).route, "c/big");
  }, new Set(["big-a", "big-b"]));
});

Deno.test("a most price leaves out dearer routes, and says by how much", async () => {
  await withWorld(async ({ ask }) => {
    const asked = (max_price: object) => ask({ model: "big", provider: { max_price } });
    for (let round = 0; round < 5; round++) {
      assert.equal((await asked({ prompt: 2 })).route, "a/big");
      assert.equal((await asked({ prompt: "3.99", completion: 4 })).route, "a/big");
      assert.notEqual((await asked({ request: 0, image: 0 })).route, "b/big");
    }
    const none = await asked({ prompt: 1.5 });
    assert.equal(none.status, 404);
    assert.equal(none.error.code, "NO_AVAILABLE_ROUTE");
    assert.equal(none.error.param, "provider.max_price");
    assert.deepEqual(none.error.routes[0], {
      route: "a/big",
      provider: "a",
      reason: "price_above_max",
      detail: "input 2.00 per million, at most 1.50 asked",
    });
  });
});

Deno.test("required parameters leave out routes that drop them, or are not said to have them", async () => {
  await withWorld(async ({ ask }) => {
    const provider = { require_parameters: true, ignore: ["a", "b"] };
    assert.equal((await ask({ model: "big", provider })).status, 200);
    const dropped = await ask({ model: "big", provider, seed: 1 });
    assert.equal(dropped.status, 400);
    assert.match(dropped.error.message, /may not do all that the request says \('seed'\)/);
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    const able = { require_parameters: true };
    for (let round = 0; round < 5; round++) {
      assert.equal((await ask({ model: "big", provider: able, tools })).route, "c/big");
    }
  });
});

Deno.test("what Tollgate cannot know of its providers is refused by name, and nobody is asked", async () => {
  await withWorld(async ({ ask, asked }) => {
    const refused: readonly (readonly [body: object, param: string, message: RegExp])[] = [
      [{ provider: { data_collection: "deny" } }, "provider.data_collection", /does not know/],
      [{ provider: { zdr: true } }, "provider.zdr", /provider\.only/],
      [{ provider: { quantizations: ["fp8"] } }, "provider.quantizations", /quantised/],
      [
        { provider: { preferred_max_latency: 2 } },
        "provider.preferred_max_latency",
        /provider\.sort/,
      ],
      [{ provider: { sort: "cheap" } }, "provider.sort", /price, latency, throughput/],
      [{ provider: { order: "a" } }, "provider.order", /a list/],
      [{ provider: { only: [7] } }, "provider.only[0]", /a string/],
      [{ provider: { max_price: { prompt: -1 } } }, "provider.max_price.prompt", /./],
      [{ provider: { max_price: { prompt: "1e9" } } }, "provider.max_price.prompt", /price of 0/],
      [{ provider: { orders: [] } }, "provider.orders", /Unknown field/],
      [{ provider: [] }, "provider", /a string or an object/],
      [{ provider: { only: Array(51).fill("a") } }, "provider.only", /at most 50/],
      [{ models: Array(11).fill("big") }, "models", /at most 10/],
      [{ models: [""] }, "models[0]", /./],
      [{ usage: { include: "yes" } }, "usage.include", /true or false/],
      [{ transforms: ["middle-out"] }, "transforms", /does not shorten prompts/],
      [{ plugins: [{ id: "web" }] }, "plugins", /runs no plugins/],
      [{ routing_preference: "lowest_price", provider: { sort: "latency" } }, "provider.sort", /./],
    ];
    for (const [body, param, message] of refused) {
      const told = await ask({ model: "big", ...body });
      assert.equal(told.status, 400, JSON.stringify(body));
      assert.equal(told.error.param, param, JSON.stringify(told));
      assert.match(told.error.message, message, JSON.stringify(body));
    }
    const harmless = {
      provider: {
        order: null,
        only: [],
        sort: null,
        zdr: false,
        data_collection: "allow",
        quantizations: [],
        preferred_max_latency: null,
      },
      models: [],
      transforms: [],
      plugins: [],
      usage: { include: false },
      route: "fallback",
    };
    assert.equal((await ask({ model: "big", ...harmless })).status, 200);
    assert.equal(asked().length, 1);
  });
});

Deno.test("a model that forbids to choose a source may be sorted and priced, not restricted", async () => {
  await withWorld(async ({ ask }) => {
    const only = await ask({ model: "fixed", provider: { only: ["a"] } });
    assert.equal(only.status, 400);
    assert.equal(only.error.code, "ROUTE_NOT_SELECTABLE");
    const sorted = await ask({
      model: "fixed",
      provider: { sort: "price", max_price: { prompt: 0 } },
    });
    assert.equal(sorted.status, 200);
  });
});

Deno.test("suffixes choose by price or latency, and others are refused or part of a name", async () => {
  await withWorld(async ({ ask }) => {
    for (let round = 0; round < 5; round++) {
      const floor = await ask({ model: "big:floor" });
      assert.deepEqual([floor.model, floor.route], ["big", "a/big"]);
    }
    assert.equal((await ask({ model: "big:nitro" })).model, "big");
    for (const suffix of ["free", "online"]) {
      const told = await ask({ model: `big:${suffix}` });
      assert.equal(told.status, 400);
      assert.deepEqual([told.error.code, told.error.param], ["not_supported", "model"]);
      assert.match(told.error.message, new RegExp(`':${suffix}' is not supported`));
    }
    assert.equal((await ask({ model: "kept:free" })).model, "big", "a name goes before");
    assert.equal((await ask({ model: "big:thinking" })).error.code, "model_not_found");
    assert.equal((await ask({ model: "nothing:floor" })).error.code, "model_not_found");
  });
});

Deno.test("the next of 'models' serves when the first fails, and is what the books have", async () => {
  await withWorld(async ({ ask, asked, gateway }) => {
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    const told = await ask({ model: "big", models: ["big", "small"], route: "fallback" }, key);
    assert.deepEqual([told.status, told.model, told.route], [200, "small", "b/small"]);
    assert.equal(told.pricing.sale_amount, "0.00001500");
    assert.equal(new Set(asked()).size, 4);
    // Without a 'model' the first of them is it.
    const alone = await ask({ models: ["big", "small"] }, key);
    assert.equal(alone.model, "small");
    const balance = gateway.admin.ledger.balanceOf("paying");
    assert.equal(balance.held, 0n);
    assert.equal(balance.avail, 10_00000000n - 2n * 1_500n);
  }, new Set(["big-a", "big-b", "big-c"]));
});

Deno.test("the next of 'models' serves when the first has no route left, or is too dear", async () => {
  await withWorld(async ({ ask, asked, gateway }) => {
    const priced = await ask({ models: ["big", "small"], provider: { max_price: { prompt: 1 } } });
    assert.equal(priced.model, "small");
    assert.deepEqual(asked(), ["small-b"]);
    await gateway.credit("paying", "0.0002");
    const key = await gateway.key("paying");
    const poor = await ask({ models: ["big", "small"], max_tokens: 20 }, key);
    assert.equal(poor.model, "small");
    const none = await ask({ models: ["big", "small"], provider: { only: ["nobody"] } });
    assert.equal(none.status, 400);
    assert.deepEqual(
      none.error.routes.map(({ route }: Told) => route),
      ["a/big", "b/big", "c/big", "b/small"],
    );
  });
});

Deno.test("of 'models' those that are unknown or not allowed are left out while one is left", async () => {
  await withWorld(async ({ ask, asked, gateway }) => {
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    for (const models of [["bigg", "small"], ["secret", "small"], ["big:online", "small"]]) {
      const told = await ask({ model: models[0], models }, key);
      assert.deepEqual([told.status, told.model], [200, "small"], models[0]);
    }
    assert.equal((await ask({ model: "small", models: ["bigg"] }, key)).model, "small");
    assert.deepEqual([...new Set(asked())], ["small-b"]);
    const none = await ask({ models: ["bigg", "secret"] }, key);
    assert.equal(none.error.code, "model_not_found");
    assert.equal((await ask({ models: ["secret", "bigg"] }, key)).error.code, "MODEL_NOT_ALLOWED");
    const dear = await ask({ models: ["bigg", "small"], provider: { only: ["nobody"] } }, key);
    assert.match(dear.error.message, /left out of 'models': The model 'bigg' does not exist/);
    assert.deepEqual(asked(), []);
  });
});

Deno.test("what is wrong with the request itself is answered as such, whatever 'models' has", async () => {
  await withWorld(async ({ ask, asked, gateway }) => {
    const deps = gateway.admin;
    const models = ["bigg", "small", "big"];
    const code = async (body: object, key?: string) => {
      const { status, error } = await ask({ models, ...body }, key);
      return [status, error?.code, error?.param];
    };
    const key = await gateway.key("paying");
    assert.deepEqual(await code({}, key), [402, "INSUFFICIENT_BALANCE", null]);
    await gateway.credit("paying", "10");
    const tooMany = { n: 100_000 };
    const [status] = await code(tooMany, key);
    assert.equal(status, 400, "a parameter that no model takes");
    const limits = { tokens_per_minute: 20 };
    await runOperation(setProject, { deps, input: { project: "paying", limits } });
    assert.deepEqual(await code({ max_tokens: 1_000 }, key), [429, "POOL_LIMIT_EXCEEDED", null]);
    assert.deepEqual(asked(), []);
    // Switched off now is nearer to being served than what can never be.
    await runOperation(disableRoute, { deps, input: { route: "b/small" } });
    const wanted = { only: ["b/small", "nobody"] };
    const off = await ask({ models: ["big", "small"], provider: wanted });
    assert.deepEqual([off.status, off.error.code], [503, "NO_AVAILABLE_ROUTE"]);
    assert.match(off.error.message, /disabled or in maintenance/);
    assert.equal(off.error.routes.length, 4);
    assert.deepEqual(asked(), []);
  });
});

Deno.test("explain says why each name of 'models' is left out", async () => {
  await withWorld(async ({ gateway }) => {
    const deps = gateway.admin;
    const input = {
      model: "bigg",
      models: ["big", "secret", "big:online", "rows", "small"],
      project: "paying",
    };
    await runOperation(setModel, { deps, input: { id: "rows", settings: { kind: "embedding" } } });
    await runOperation(setProject, {
      deps,
      input: { project: "paying", models: ["big", "small", "rows"] },
    });
    const { models, notes } = await runOperation(explainRoutes, { deps, input });
    assert.deepEqual(models, ["big", "small"]);
    const left = notes.filter((note) => note.includes("of models is left out"));
    assert.equal(left.length, 4, notes.join("\n"));
    for (
      const [name, why] of [
        ["bigg", /There is no model 'bigg'/],
        ["secret", /may not use the model 'secret'/],
        ["big:online", /The suffix ':online' is not supported/],
        ["rows", /of kind 'embedding', and the request is for one of kind 'chat'/],
      ] as const
    ) {
      assert.match(left.find((note) => note.startsWith(`'${name}'`)) ?? "", why);
    }
    // A question that is wrong by itself is refused, whatever models there are.
    const wrong = { model: "big", models: ["small"], size: "1280x720" };
    await assert.rejects(runOperation(explainRoutes, { deps, input: wrong }), { param: "size" });
  });
});

Deno.test("with usage.include the usage says what it cost, whole and as a stream", async () => {
  await withWorld(async ({ ask, gateway, upstream }) => {
    const body = { model: "big", provider: { only: ["a"] }, usage: { include: true } };
    const {
      usage: { prompt_tokens_details: _prompt, completion_tokens_details: _output, ...usage },
      pricing,
    } = await ask(body);
    assert.deepEqual(usage, {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      cost: 0.00004,
      is_byok: false,
      cost_details: { upstream_inference_cost: 0.00002 },
    });
    assert.equal(pricing.sale_amount, "0.00004000");
    const response = await gateway.chat({ ...HELLO, ...body, stream: true });
    const chunks = (await response.text()).split("\n\n")
      .filter((frame) => frame.startsWith("data: {"))
      .map((frame) => JSON.parse(frame.slice(6)));
    assert.equal(chunks.at(-1).usage.cost, 0.00004);
    assert.equal(chunks.at(-1).usage.total_tokens, 15);
    for (const { body } of upstream.requests) assert.equal(JSON.parse(body).usage, undefined);
    const plain = await ask({ model: "big", provider: { only: ["a"] } });
    assert.equal("cost" in plain.usage, false);
  });
});

Deno.test("the other endpoints take the same fields", async () => {
  await withWorld(async ({ gateway }) => {
    const key = await gateway.key("default");
    const post = async (path: string, body: object) => {
      const response = await fetch(`${gateway.url}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, ...await response.json() } as Told;
    };
    const response = await post("/responses", {
      models: ["big:floor", "small"],
      input: "Hello",
      provider: { ignore: ["a"] },
      usage: { include: true },
    });
    assert.deepEqual([response.model, response.route], ["big", "c/big"]);
    assert.equal(response.usage.cost, 0.00008);
    const message = await post("/messages", {
      model: "small",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello" }],
      provider: { only: ["b"] },
      usage: { include: true },
    });
    assert.deepEqual([message.model, message.usage.cost], ["small", 0.000015]);
    const film = await post("/videos", { prompt: "A fox", models: ["one", "two"] });
    assert.deepEqual([film.status, film.error.param], [400, "models"]);
  });
});

Deno.test("a repeated answer is for those alone who may use every model that it could be from", async () => {
  await withWorld(async ({ gateway, asked }) => {
    const headers = { "idempotency-key": "once" };
    const statusFor = async (key: string) => {
      const body = { ...HELLO, model: "big", models: ["big", "small"] };
      const response = await gateway.chat(body, { key, headers });
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await statusFor(await gateway.key("default")), 200);
    assert.equal(asked().length, 1);
    assert.equal(await statusFor(await gateway.key("default", ["big"])), 400);
    assert.equal(await statusFor(await gateway.key("default", ["big", "small"])), 200);
    assert.deepEqual(asked(), []);
  });
});
