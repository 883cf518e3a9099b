/**
 * The admin API: where it is served, to whom, and in which shape it refuses.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OPERATIONS } from "../../../../src/admin/operations.ts";
import { startTestGateway } from "../../../support/gateway.ts";

const ADMIN_KEY = "an-admin-key-for-tests";

function bearer(key: string): RequestInit {
  return { headers: { authorization: `Bearer ${key}` } };
}

Deno.test("without an admin key the admin API is not on TCP", async () => {
  await using gateway = await startTestGateway();
  for (const path of ["/admin/v1/projects", "/v1/admin/v1/projects", "/v1/projects"]) {
    const response = await fetch(`${gateway.url}${path}`, bearer(ADMIN_KEY));
    assert.equal(response.status, 404);
    assert.equal((await response.json()).error.code, "not_found");
  }
});

Deno.test("on TCP every operation wants the admin key, and a project's key is none", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const projectKey = await gateway.key("default");
  for (const { method, path } of OPERATIONS) {
    for (const init of [{}, bearer("wrong"), bearer(projectKey), bearer("")]) {
      const url = `${gateway.url}/admin/v1${path.replaceAll(/\{\w+\}/g, "x")}`;
      const response = await fetch(url, { ...init, method });
      assert.equal(response.status, 401, `${method} ${path}`);
      assert.equal((await response.json()).error.code, "PROJECT_KEY_INVALID");
    }
  }
});

Deno.test("whoever may ask for administration is told where its paths are listed", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const path = "/admin/v1/catalogue/routes/up/model";
  const response = await fetch(`${gateway.url}${path}`, bearer(ADMIN_KEY));
  assert.equal(response.status, 404);
  assert.equal(
    (await response.json()).error.message,
    `There is nothing at GET ${path}: GET /admin/v1/openapi.json lists every path; ` +
      "a '/' in an id is written %2F",
  );
  const elsewhere = await fetch(`${gateway.url}/nothing`);
  assert.match((await elsewhere.json()).error.message, /: GET \/openapi\.json lists every path$/);
});

Deno.test("operations take path, query and body, and answer JSON", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${gateway.url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `bearer ${ADMIN_KEY}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, json: await response.json() };
  }
  const created = await call("POST", "/projects", { id: "shop" });
  assert.equal(created.status, 200);
  assert.match(created.headers.get("x-request-id") ?? "", /^req_/);
  const credited = await call("POST", "/projects/shop/credit", { amount: "5" });
  assert.equal(credited.json.balance, "5.00000000");
  assert.equal((await call("POST", "/projects/shop/disable")).json.disabled, true);
  const key = (await call("POST", "/keys", { project: "shop" })).json;
  const keys = (await call("GET", "/keys?project=shop")).json;
  assert.deepEqual(keys.data.map(({ id }: { id: string }) => id), [key.id]);
  assert.equal((await call("DELETE", `/keys/${key.id}`)).json.deleted, true);
  assert.deepEqual((await call("GET", "/usage?by=project&by=day")).json, {
    object: "usage_report",
    data: [],
    cut: null,
    without_tag: null,
    archives: [],
  });
  const explained = await call("POST", "/routes/explain", { model: "echo-1" });
  assert.equal(explained.json.candidates[0].route, "builtin/echo-1");

  const refusals = [
    ["POST", "/projects", { id: "A" }, 400, "invalid_value", "id"],
    ["POST", "/projects", { id: "a", extra: 1 }, 400, "invalid_value", "extra"],
    ["POST", "/projects", {}, 400, "missing_required_parameter", "id"],
    ["POST", "/projects", [], 400, "invalid_value", null],
    ["POST", "/projects/none/enable", undefined, 404, "not_found", null],
    ["GET", "/keys?projct=shop", undefined, 400, "invalid_value", "projct"],
    ["GET", "/nothing", undefined, 404, "not_found", null],
    ["DELETE", "/projects", undefined, 405, "method_not_allowed", null],
  ] as const;
  for (const [method, path, body, status, code, param] of refusals) {
    const { status: found, json } = await call(method, path, body);
    assert.deepEqual(Object.keys(json.error).sort(), ["code", "message", "param", "type"]);
    assert.deepEqual([found, json.error.code, json.error.param], [status, code, param], path);
  }
  assert.ok(!gateway.log().includes(ADMIN_KEY));
  assert.ok(!gateway.log().includes(key.key));
});

Deno.test("no two operations share a name or a place", () => {
  const names = OPERATIONS.map(({ name }) => name);
  const places = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(names).size, names.length);
  assert.equal(new Set(places).size, places.length);
});
