/**
 * Requests as OpenRouter's callers write them: providers as an object, several models, suffixes, and
 * what a call cost in its usage.
 *
 * @module
 */

import assert from "node:assert/strict";
import { HELLO, type Told, withWorld } from "../support/habits_world.ts";

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
