/**
 * What callers can ask about keys and calls, why routes are refused, and where
 * administration is to be had over TCP.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createKey } from "../../src/admin/accounts/keys.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { answerBody, chunk, finishChunk, twoRoutes } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { getJson, MODEL_MENU } from "../support/model_menu.ts";

const NO_LIMITS = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent: null,
  open_video_tasks: null,
};

Deno.test("GET key shows the key, its project, balance and limits, and never the key", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  await gateway.credit("paying", "12.5");
  const key = await gateway.key("paying");
  const { body } = await getJson(gateway, "/api/gateway/v1/key", key);
  assert.equal(body.object, "key");
  assert.equal(body.name, "test");
  assert.equal(body.expires_at, null);
  assert.ok(key.startsWith(body.prefix) && body.prefix.length < 16);
  assert.deepEqual(body.limits, NO_LIMITS);
  assert.deepEqual(body.project, {
    kept: { bytes: 0, most_bytes: 256 * 1024 ** 2 },
    id: "paying",
    unlimited: false,
    currency: "USD",
    balance: "12.50000000",
    held: "0.00000000",
    limits: NO_LIMITS,
    remaining: NO_LIMITS,
    budgets: { daily: null, monthly: null, spend_brake: null, spend_brake_floor: null },
    spent: { hour: "0.00000000", day: "0.00000000", month: "0.00000000" },
    paused: null,
    prompts: null,
    reached_budgets: [],
  });
  assert.equal(JSON.stringify(body).includes(key), false);
  const limited = await getJson(gateway, "/v1/key", await gateway.key("default"));
  assert.deepEqual(limited.body.project.limits, {
    ...NO_LIMITS,
    requests_per_minute: 7,
    concurrent: 3,
  });
  assert.deepEqual(limited.body.project.remaining, {
    ...NO_LIMITS,
    requests_per_minute: 7,
    concurrent: 3,
  });
});

Deno.test("an expired key is refused as invalid", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const { key } = await runOperation(createKey, {
    deps: gateway.admin,
    input: {
      project: "default",
      name: "short",
      limits: {},
      expires: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  const before = await getJson(gateway, "/v1/key", key);
  assert.equal(before.status, 200);
  assert.ok(before.body.expires_at > Date.now() / 1000);
  const { key: gone } = await runOperation(createKey, {
    deps: gateway.admin,
    input: {
      project: "default",
      name: "gone",
      limits: {},
      expires: new Date(Date.now() + 30).toISOString(),
    },
  }).catch((error) => assert.fail(String(error)));
  while ((await getJson(gateway, "/v1/key", gone)).status === 200);
  const after = await getJson(gateway, "/v1/key", gone);
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
  const { status, body } = await getJson(gateway, `/v1/calls/${id}`, key);
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
    work: { input: 100, output: 10 },
    pricing: {
      currency: "USD",
      cost_amount: "0.00012000",
      sale_amount: "0.00024000",
      charged_amount: "0.00024000",
    },
  });

  const streamId = streamed.headers.get("x-request-id")!;
  const stream = await getJson(gateway, `/api/gateway/v1/calls/${streamId}`, key);
  assert.equal(stream.body.stream, true);
  assert.equal(stream.body.usage_source, "estimated");
  assert.ok(stream.body.usage.completion_tokens > 0);
  assert.notEqual(stream.body.pricing.charged_amount, "0.00000000");

  const colleague = await gateway.key("paying");
  assert.equal((await getJson(gateway, `/v1/calls/${id}`, colleague)).status, 200);
  const foreigner = await gateway.key("default");
  const foreign = await getJson(gateway, `/v1/calls/${id}`, foreigner);
  const never = await getJson(gateway, "/v1/calls/req_never", foreigner);
  assert.equal(foreign.status, 404);
  assert.deepEqual(foreign.body, never.body);
  assert.equal(foreign.body.error.code, "not_found");
  assert.equal((await getJson(gateway, `/v1/calls/${id}`)).status, 401);
});

Deno.test("a refusal lists every route of the model and why it is out", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
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

Deno.test("administration over TCP is not there without an admin key", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
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
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU, adminKey });
  const projectKey = await gateway.key("default");
  for (const presented of [undefined, projectKey, adminKey + "x", ""]) {
    const { status, body } = await getJson(gateway, "/admin/v1/keys", presented);
    assert.equal(status, 401, String(presented));
    assert.equal(body.error.type, "authentication_error");
    assert.equal(body.error.message.includes(adminKey), false);
  }
  const rows = await getJson(gateway, "/admin/v1/keys", adminKey);
  assert.equal(rows.status, 200);
  assert.ok(rows.body.data.some((row: { prefix: string }) => projectKey.startsWith(row.prefix)));
  assert.equal(JSON.stringify(rows.body).includes(projectKey), false);
  const credit = await fetch(`${gateway.url}/admin/v1/projects/paying/credit`, {
    method: "POST",
    headers: { "authorization": `bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: "3" }),
  });
  assert.equal(credit.status, 200);
  assert.equal((await credit.json()).balance, "3.00000000");
  // The admin key is no project key.
  assert.equal((await getJson(gateway, "/v1/models", adminKey)).status, 401);
  assert.equal(gateway.log().includes(adminKey), false);
  assert.equal(gateway.log().includes(projectKey), false);
});
