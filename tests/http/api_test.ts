/**
 * What callers can ask about models, keys and calls, and where administration
 * is to be had over TCP.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createKey } from "../../src/admin/keys.ts";
import { answerBody, chunk, finishChunk, twoRoutes } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const MODELS = `
providers:
  - { id: a, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none, official: true }
  - { id: b, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
models:
  - id: chat/paid
    kind: chat
    aliases: [paid]
    routes:
      - { id: a/paid, provider: a, risk_level: medium, sale: { input: "0.25", output: "2", request: "0.01" } }
      - { id: b/paid, provider: b, cost: { input: "0.2", output: "1" }, sale: { markup: "1.1" } }
      - { id: b/cheap-but-off, provider: b, enabled: false, sale: { input: "0.01", output: "0.01" } }
      - { id: b/cheap-but-broken, provider: b, maintenance: true, sale: { input: "0.01", output: "0.01" } }
  - id: chat/hidden-sources
    kind: chat
    manual_selection: false
    routes: [{ id: a/hidden, provider: a, sale: { input: "1", output: "1" } }]
  - id: chat/free
    kind: chat
    routes: [{ id: a/free, provider: a, free: true }]
  - id: chat/free-input
    kind: chat
    routes: [{ id: a/free-input, provider: a, sale: { input: "0", output: "3" } }]
  - id: chat/unpriced
    kind: chat
    routes: [{ id: a/unpriced, provider: a }]
  - id: chat/without-routes
    kind: chat
  - id: embed
    kind: embedding
    routes: [{ id: a/embed, provider: a, sale: { input: "0.02" } }]
  - id: video
    kind: video
    routes:
      - id: a/video
        provider: a
        video: { sizes: [640x360, 1280x720], seconds: [4] }
        sale: { second: { "640x360": "0.01", "1280x720": "0.02" } }
projects:
  - { id: default, unlimited: true, limits: { requests_per_minute: 7, concurrent: 3 } }
  - { id: paying, unlimited: false }
  - { id: narrow, unlimited: true, models: ["chat/*"] }
`;

/** Fetches JSON with a key. */
async function get(gateway: TestGateway, path: string, key?: string) {
  const response = await fetch(gateway.url + path, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  return { status: response.status, body: await response.json() };
}

function byId(list: { data: { id: string }[] }) {
  return new Map(list.data.map((entry) => [entry.id, entry as Record<string, unknown>]));
}

Deno.test("GET models tells source_count, from_price and sources as each model has them", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const key = await gateway.key("default");
  const { status, body } = await get(gateway, "/v1/models", key);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["data", "object"]);
  assert.equal(body.object, "list");
  const models = byId(body);
  for (const model of models.values()) {
    assert.equal(model.object, "model");
    assert.equal(typeof model.owned_by, "string");
    assert.ok(Number.isInteger(model.created) && Number(model.created) > 1_700_000_000);
    assert.equal(typeof model.supports_manual_source_selection, "boolean");
  }

  const { created: _created, owned_by: _owner, ...paid } = models.get("chat/paid")!;
  assert.deepEqual(paid, {
    id: "chat/paid",
    object: "model",
    kind: "chat",
    source_count: 2,
    // 0.2 x 1.1, and not 0.25 + 0.01; the cheap routes are out of service.
    from_price: "0.22000000",
    pricing: {
      currency: "USD",
      unit: "million_tokens",
      input: "0.22000000",
      output: "1.10000000",
    },
    supports_manual_source_selection: true,
    sources: [
      {
        route: "a/paid",
        provider: "a",
        official: true,
        risk_level: "medium",
        pricing: {
          currency: "USD",
          unit: "million_tokens",
          input: "0.25000000",
          output: "2.00000000",
          request: "0.01000000",
        },
      },
      {
        route: "b/paid",
        provider: "b",
        official: false,
        risk_level: "low",
        pricing: {
          currency: "USD",
          unit: "million_tokens",
          input: "0.22000000",
          output: "1.10000000",
        },
      },
    ],
  });

  const hidden = models.get("chat/hidden-sources")!;
  assert.equal(hidden.supports_manual_source_selection, false);
  assert.equal("sources" in hidden, false);
  assert.equal(hidden.source_count, 1);

  assert.equal(models.get("chat/free")!.from_price, "0.00000000");
  assert.equal(models.get("chat/free-input")!.from_price, null);
  assert.equal((models.get("chat/free-input")!.pricing as { output: string }).output, "3.00000000");
  assert.equal(models.get("chat/unpriced")!.from_price, null);
  assert.equal(models.get("chat/unpriced")!.pricing, null);
  assert.equal(models.get("chat/without-routes")!.from_price, null);
  assert.equal(models.get("chat/without-routes")!.source_count, 0);
  assert.equal(models.get("embed")!.kind, "embedding");
  assert.equal(models.get("embed")!.from_price, "0.02000000");
  assert.equal(models.get("video")!.kind, "video");
  assert.equal(models.get("video")!.from_price, "0.01000000");
  assert.deepEqual(models.get("video")!.pricing, {
    currency: "USD",
    unit: "second",
    second: { "640x360": "0.01000000", "1280x720": "0.02000000" },
  });
  assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|cheap-but/);
});

Deno.test("GET models/{id} takes ids with slashes, encoded or not, and aliases", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const key = await gateway.key("default");
  for (const id of ["chat/paid", "chat%2Fpaid", "paid"]) {
    for (const prefix of ["/v1", "/api/gateway/v1"]) {
      const { status, body } = await get(gateway, `${prefix}/models/${id}`, key);
      assert.equal(status, 200, `${prefix} ${id}`);
      assert.equal(body.id, "chat/paid");
      assert.equal(body.source_count, 2);
    }
  }
  const unknown = await get(gateway, "/v1/models/none", key);
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.error.code, "model_not_found");
  assert.equal(unknown.body.error.param, "model");
});

Deno.test("a key sees and may ask for its models only", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const cases: { project: string; models?: string[]; seen: string[] }[] = [
    { project: "narrow", models: undefined, seen: [...chatModels()] },
    {
      project: "default",
      models: ["chat/f*", "video"],
      seen: ["chat/free", "chat/free-input", "video"],
    },
    // Both the project and the key have to allow a model.
    { project: "narrow", models: ["chat/free", "embed"], seen: ["chat/free"] },
    { project: "default", models: [], seen: [] },
  ];
  for (const { project, models, seen } of cases) {
    const key = await gateway.key(project, models);
    const { body } = await get(gateway, "/v1/models", key);
    assert.deepEqual([...byId(body).keys()].sort(), [...seen].sort(), `${project} ${models}`);
    const view = await get(gateway, "/v1/key", key);
    assert.deepEqual([...view.body.models].sort(), [...seen].sort());
  }
  const key = await gateway.key("narrow", ["chat/free"]);
  const one = await get(gateway, "/v1/models/embed", key);
  assert.equal(one.status, 403);
  assert.equal(one.body.error.code, "MODEL_NOT_ALLOWED");
  assert.equal(one.body.error.param, "model");
  const call = await gateway.chat({
    model: "chat/paid",
    messages: [{ role: "user", content: "x" }],
  }, {
    key,
  });
  assert.equal(call.status, 403);
  assert.equal((await call.json()).error.type, "permission_error");
});

function chatModels(): string[] {
  return [...MODELS.matchAll(/id: (chat\/[a-z-]+)$/gm)].map((match) => match[1]!);
}

Deno.test("GET key shows the key, its project, balance and limits, and never the key", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  await gateway.credit("paying", "12.5");
  const key = await gateway.key("paying");
  const { body } = await get(gateway, "/api/gateway/v1/key", key);
  assert.equal(body.object, "key");
  assert.equal(body.name, "test");
  assert.equal(body.expires_at, null);
  assert.ok(key.startsWith(body.prefix) && body.prefix.length < 16);
  assert.deepEqual(body.limits, {
    requests_per_minute: null,
    tokens_per_minute: null,
    concurrent: null,
  });
  assert.deepEqual(body.project, {
    id: "paying",
    unlimited: false,
    currency: "USD",
    balance: "12.50000000",
    held: "0.00000000",
    limits: { requests_per_minute: null, tokens_per_minute: null, concurrent: null },
  });
  assert.equal(JSON.stringify(body).includes(key), false);
  const limited = await get(gateway, "/v1/key", await gateway.key("default"));
  assert.deepEqual(limited.body.project.limits, {
    requests_per_minute: 7,
    tokens_per_minute: null,
    concurrent: 3,
  });
});

Deno.test("an expired key is refused as invalid", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const { key } = await createKey.run(gateway.admin, {
    project: "default",
    name: "short",
    limits: {},
    expires: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const before = await get(gateway, "/v1/key", key);
  assert.equal(before.status, 200);
  assert.ok(before.body.expires_at > Date.now() / 1000);
  const { key: gone } = await createKey.run(gateway.admin, {
    project: "default",
    name: "gone",
    limits: {},
    expires: new Date(Date.now() + 30).toISOString(),
  }).catch((error) => assert.fail(String(error)));
  while ((await get(gateway, "/v1/key", gone)).status === 200);
  const after = await get(gateway, "/v1/key", gone);
  assert.equal(after.status, 401);
  assert.equal(after.body.error.code, "PROJECT_KEY_INVALID");
});

Deno.test("GET calls/{id} tells what a call and a stream used and cost, to its project only", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply(answerBody("Hi", { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 })),
    sseReply([chunk({ role: "assistant", content: "Hi" }), finishChunk(), "[DONE]"]),
  ]);
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  await gateway.credit("paying", "1");
  const key = await gateway.key("paying");
  const ask = { model: "small", route: "a/m", messages: [{ role: "user", content: "Hello" }] };
  const plain = await gateway.chat(ask, { key });
  await plain.body?.cancel();
  const streamed = await gateway.chat({ ...ask, stream: true }, { key });
  assert.match(await streamed.text(), /\[DONE\]/);

  const id = plain.headers.get("x-request-id")!;
  const { status, body } = await get(gateway, `/v1/calls/${id}`, key);
  assert.equal(status, 200);
  const { created_at, milliseconds, first_byte_milliseconds, ...call } = body;
  assert.ok(Math.abs(created_at - Date.now() / 1000) < 3600);
  assert.ok(milliseconds >= 0 && first_byte_milliseconds >= 0);
  assert.deepEqual(call, {
    id,
    object: "call",
    capability: "chat",
    model: "m",
    provider: "a",
    route: "a/m",
    stream: false,
    state: "settled",
    result: "completed",
    error_code: null,
    attempts: 1,
    usage_source: "reported",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    pricing: {
      currency: "USD",
      cost_amount: "0.00012000",
      sale_amount: "0.00024000",
      charged_amount: "0.00024000",
    },
  });

  const streamId = streamed.headers.get("x-request-id")!;
  const stream = await get(gateway, `/api/gateway/v1/calls/${streamId}`, key);
  assert.equal(stream.body.stream, true);
  assert.equal(stream.body.usage_source, "estimated");
  assert.ok(stream.body.usage.completion_tokens > 0);
  assert.notEqual(stream.body.pricing.charged_amount, "0.00000000");

  const colleague = await gateway.key("paying");
  assert.equal((await get(gateway, `/v1/calls/${id}`, colleague)).status, 200);
  const foreigner = await gateway.key("default");
  const foreign = await get(gateway, `/v1/calls/${id}`, foreigner);
  const never = await get(gateway, "/v1/calls/req_never", foreigner);
  assert.equal(foreign.status, 404);
  assert.deepEqual(foreign.body, never.body);
  assert.equal(foreign.body.error.code, "not_found");
  assert.equal((await get(gateway, `/v1/calls/${id}`)).status, 401);
});

Deno.test("a refusal lists every route of the model and why it is out", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const key = await gateway.key("paying");
  const refused = async (fields: object) => {
    const response = await gateway.chat({
      model: "chat/paid",
      messages: [{ role: "user", content: "x" }],
      ...fields,
    }, { key });
    const { error } = await response.json();
    const routes = Object.fromEntries(
      error.routes.map((entry: { route: string; reason: string }) => [entry.route, entry.reason]),
    );
    return { response, error, routes };
  };
  const ROUTES = ["a/paid", "b/cheap-but-broken", "b/cheap-but-off", "b/paid"];

  const poor = await refused({});
  assert.equal(poor.response.status, 402);
  assert.equal(poor.error.code, "INSUFFICIENT_BALANCE");
  assert.equal(poor.response.headers.get("x-should-retry"), "false");
  assert.deepEqual(Object.keys(poor.routes).sort(), ROUTES);
  assert.equal(poor.routes["b/paid"], "balance_too_low");
  assert.equal(poor.routes["b/cheap-but-off"], "disabled");
  assert.equal(poor.routes["b/cheap-but-broken"], "maintenance");

  const named = await refused({ provider: "nobody" });
  assert.equal(named.response.status, 400);
  assert.equal(named.error.code, "ROUTE_NOT_SELECTABLE");
  assert.equal(named.error.param, "provider");
  assert.deepEqual(new Set(Object.values(named.routes)), new Set(["provider_not_requested"]));

  const risky = await refused({ source_policy: { exclude_risk_levels: ["low", "medium"] } });
  assert.equal(risky.response.status, 404);
  assert.equal(risky.error.code, "NO_AVAILABLE_ROUTE");
  assert.equal(risky.error.type, "invalid_request_error");
  assert.deepEqual(Object.keys(risky.routes).sort(), ROUTES);

  const off = await refused({ route: "b/cheap-but-off" });
  assert.equal(off.response.status, 503);
  assert.equal(off.error.code, "NO_AVAILABLE_ROUTE");
  assert.equal(off.error.type, "server_error");
  assert.match(off.response.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);

  const hidden = await refused({ model: "chat/hidden-sources", provider: "a" });
  assert.equal(hidden.response.status, 400);
  assert.equal(hidden.error.code, "ROUTE_NOT_SELECTABLE");
});

interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { operationId: string; responses: object }>>;
}

Deno.test("openapi.json is 3.1, names every path under both prefixes, and each reference resolves", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const response = await fetch(`${gateway.url}/openapi.json`);
  const text = await response.text();
  const document = JSON.parse(text) as OpenApiDocument;
  assert.match(document.openapi, /^3\.1\.\d+$/);

  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(references.length > 0);
  for (const reference of references) assert.ok(resolve(document, reference), reference);

  const API = [
    "POST /chat/completions",
    "GET /models",
    "GET /models/{id}",
    "GET /calls/{request_id}",
    "GET /key",
  ];
  const expected = [
    ...["/v1", "/api/gateway/v1"].flatMap((prefix) =>
      API.map((line) => line.replace(" ", ` ${prefix}`))
    ),
    "GET /healthz",
    "GET /readyz",
    "GET /openapi.json",
  ];
  const named = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  );
  assert.deepEqual(named.sort(), expected.sort());

  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId)
  );
  assert.equal(new Set(ids).size, ids.length);

  // Every path it names is there: without a key it answers something other than 404.
  const key = await gateway.key("default");
  for (const line of named) {
    const [method, path] = line.split(" ");
    const target = path!.replace("{id}", "chat%2Fpaid").replace("{request_id}", "req_x");
    const answer = await fetch(gateway.url + target, {
      method: method!,
      headers: { authorization: `Bearer ${key}` },
    });
    const body = await answer.json();
    assert.ok(
      answer.status !== 405 && !/There is nothing at/.test(body.error?.message ?? ""),
      `${line}: ${answer.status}`,
    );
  }
});

function resolve(document: object, reference: string): unknown {
  assert.match(reference, /^#\//);
  let value: unknown = document;
  for (const part of reference.slice(2).split("/")) {
    value = (value as Record<string, unknown> | undefined)?.[part];
  }
  return value;
}

Deno.test("administration over TCP is not there without an admin key", async () => {
  await using gateway = await startTestGateway({ catalogue: MODELS });
  const key = await gateway.key("default");
  for (const [method, path] of [["GET", "/keys"], ["POST", "/projects/default/credit"]] as const) {
    const response = await fetch(`${gateway.url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 404);
    assert.equal((await response.json()).error.code, "not_found");
  }
});

Deno.test("administration over TCP takes the admin key and no other", async () => {
  const adminKey = "admin-key-of-this-test";
  await using gateway = await startTestGateway({ catalogue: MODELS, adminKey });
  const projectKey = await gateway.key("default");
  for (const presented of [undefined, projectKey, adminKey + "x", ""]) {
    const { status, body } = await get(gateway, "/admin/v1/keys", presented);
    assert.equal(status, 401, String(presented));
    assert.equal(body.error.type, "authentication_error");
    assert.equal(body.error.message.includes(adminKey), false);
  }
  const rows = await get(gateway, "/admin/v1/keys", adminKey);
  assert.equal(rows.status, 200);
  assert.ok(rows.body.some((row: { prefix: string }) => projectKey.startsWith(row.prefix)));
  assert.equal(JSON.stringify(rows.body).includes(projectKey), false);
  const credit = await fetch(`${gateway.url}/admin/v1/projects/paying/credit`, {
    method: "POST",
    headers: { "authorization": `bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: "3" }),
  });
  assert.equal(credit.status, 200);
  assert.equal((await credit.json()).balance, "3.00000000");
  // The admin key is no project key.
  assert.equal((await get(gateway, "/v1/models", adminKey)).status, 401);
  assert.equal(gateway.log().includes(adminKey), false);
  assert.equal(gateway.log().includes(projectKey), false);
});
