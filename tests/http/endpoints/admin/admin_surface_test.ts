/**
 * Administration and the public API are separate: on TCP nothing of `/admin/v1`
 * is there without an admin key, and with one neither key opens the other door,
 * however a path is written.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OPERATIONS } from "../../../../src/admin/operations.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { RawSocket } from "../../../support/raw_socket.ts";

const ADMIN_KEY = "an-admin-key-for-tests";

/** Every operation's method and path below `/admin/v1`, and two that do not exist. */
const PLACES: readonly { readonly method: string; readonly path: string }[] = [
  ...OPERATIONS.map(({ method, path }) => ({
    method,
    path: path.replaceAll(/\{\w+\}/g, "default"),
  })),
  { method: "GET", path: "/" },
  { method: "GET", path: "" },
  { method: "PUT", path: "/projects" },
  { method: "GET", path: "/no/such/thing" },
];

/** Ways to write a path of administration that a proxy, a router or a file server may take for it. */
const WRITINGS: readonly ((path: string) => string)[] = [
  (path) => `/admin/v1${path}`,
  (path) => `/admin/v1${path}/`,
  (path) => `//admin/v1${path}`,
  (path) => `/admin//v1${path}`,
  (path) => `/admin/v1/${path}`,
  (path) => `/Admin/V1${path}`,
  (path) => `/ADMIN/v1${path.toUpperCase()}`,
  (path) => `/%61dmin/v1${path}`,
  (path) => `/admin%2Fv1${path}`,
  (path) => `/admin%2fv1${path.replaceAll("/", "%2f")}`,
  (path) => `/%2561dmin/v1${path}`,
  (path) => `/./admin/v1${path}`,
  (path) => `/v1/../admin/v1${path}`,
  (path) => `/v1/%2e%2e/admin/v1${path}`,
  (path) => `/v1/admin/v1${path}`,
  (path) => `/v1/admin${path}`,
  (path) => `/api/gateway/v1/admin/v1${path}`,
  (path) => `/api/gateway/admin/v1${path}`,
  (path) => `/admin${path}`,
  (path) => `/admin/v2${path}`,
  (path) => `/admin/v1;x=1${path}`,
  (path) => `/admin/v1${path}?key=${ADMIN_KEY}`,
  (path) => `/admin/v1${path}%00`,
];

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly keys: readonly string[];
  readonly message: string;
}

/** Sends the path as it is written: a URL of the platform would tidy it up. */
async function ask(
  gateway: TestGateway,
  { method, path, key, headers = "" }: {
    readonly method: string;
    readonly path: string;
    readonly key?: string | undefined;
    readonly headers?: string;
  },
): Promise<Answer> {
  const { hostname, port } = new URL(gateway.url);
  using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  const authorization = key === undefined ? "" : `authorization: Bearer ${key}\r\n`;
  await socket.send(
    `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${authorization}${headers}` +
      "content-length: 0\r\nconnection: close\r\n\r\n",
  );
  const { status, body } = await socket.readResponse();
  const json = JSON.parse(body) as { error?: { code: string; message: string } };
  return {
    status,
    code: json.error?.code ?? "",
    keys: Object.keys(json.error ?? {}),
    message: json.error?.message ?? body,
  };
}

Deno.test("without an admin key every path of administration is like any unknown one", async () => {
  await using gateway = await startTestGateway();
  const projectKey = await gateway.key("default");
  for (const { method, path } of PLACES) {
    const unknown = await ask(gateway, { method, path: `/nothing/v1${path}` });
    for (const write of WRITINGS) {
      const written = write(path);
      for (const key of [undefined, ADMIN_KEY, projectKey]) {
        const answer = await ask(gateway, { method, path: written, key });
        const shown = `${method} ${written}`;
        assert.deepEqual([answer.status, answer.code, answer.keys], [
          404,
          "not_found",
          unknown.keys,
        ], shown);
        assert.match(
          answer.message,
          /^There is nothing at [A-Z]+ \/.*: GET \/openapi\.json/,
          shown,
        );
      }
    }
  }
  assert.ok(!gateway.log().includes(projectKey));
});

Deno.test("with an admin key nothing is told, and nothing done, for any other key", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const projectKey = await gateway.key("default");
  const before = await gateway.admin.storage.audit.list({ limit: 1000 });
  const wrong = [undefined, projectKey, "", `${ADMIN_KEY}x`, ADMIN_KEY.slice(0, -1)];
  for (const { method, path } of PLACES) {
    for (const write of WRITINGS) {
      for (const key of wrong) {
        const answer = await ask(gateway, { method, path: write(path), key });
        const shown = `${method} ${write(path)} ${key}: ${JSON.stringify(answer)}`;
        assert.ok(answer.status === 401 || answer.status === 404, shown);
        if (answer.status === 404) assert.equal(answer.code, "not_found", shown);
        else assert.equal(answer.code, "PROJECT_KEY_INVALID", shown);
      }
    }
    const plain = await ask(gateway, { method, path: `/admin/v1${path}` });
    assert.equal(plain.status, 401, `${method} ${path}: what exists is not told without the key`);
  }
  assert.deepEqual(await gateway.admin.storage.audit.list({ limit: 1000 }), before);
  assert.equal(gateway.admin.directory.project("default")?.disabled, false);
});

Deno.test("the admin key opens administration in one place, and nothing of the API", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const open = await ask(gateway, { method: "GET", path: "/admin/v1/projects", key: ADMIN_KEY });
  assert.equal(open.status, 200);
  for (const prefix of ["/v1", "/api/gateway/v1"]) {
    for (
      const [method, path] of [
        ["GET", "/models"],
        ["GET", "/models/echo-1"],
        ["GET", "/key"],
        ["GET", "/videos"],
        ["GET", "/calls/req_x"],
        ["GET", "/responses/resp_x"],
        ["GET", `/videos/video_${"a".repeat(26)}`],
        ["POST", "/chat/completions"],
        ["POST", "/embeddings"],
        ["POST", "/responses"],
        ["POST", "/videos"],
      ] as const
    ) {
      const answer = await ask(gateway, { method, path: `${prefix}${path}`, key: ADMIN_KEY });
      assert.deepEqual([answer.status, answer.code], [401, "PROJECT_KEY_INVALID"], path);
    }
    const inside = await ask(gateway, {
      method: "GET",
      path: `${prefix}/admin/v1/projects`,
      key: ADMIN_KEY,
    });
    assert.equal(inside.status, 404);
  }
  for (const header of ["x-api-key", "api-key", "x-admin-key", "cookie"]) {
    const answer = await ask(gateway, {
      method: "GET",
      path: `/admin/v1/projects?api_key=${ADMIN_KEY}&key=${ADMIN_KEY}`,
      headers: `${header}: ${ADMIN_KEY}\r\n`,
    });
    assert.equal(answer.status, 401, header);
  }
  assert.ok(!gateway.log().includes(`Bearer ${ADMIN_KEY}`));
});

Deno.test("dots in a path lead out of nothing", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const key = await gateway.key("default");
  for (const dots of ["..", "%2e%2e", ".%2E"]) {
    const path = `/v1/models/${dots}/${dots}/admin/v1/projects`;
    const asked = await ask(gateway, { method: "GET", path, key });
    assert.deepEqual([asked.status, asked.code], [404, "model_not_found"], path);
    const admin = await ask(gateway, { method: "GET", path, key: ADMIN_KEY });
    assert.deepEqual([admin.status, admin.code], [401, "PROJECT_KEY_INVALID"], path);
    const back = `/admin/v1/${dots}/${dots}/v1/models`;
    assert.equal((await ask(gateway, { method: "GET", path: back, key })).status, 401, back);
    const opened = await ask(gateway, { method: "GET", path: back, key: ADMIN_KEY });
    assert.equal(opened.status, 404, back);
  }
});

Deno.test("a change over TCP is told with its address, and not with a name that anybody can send", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const changed = await ask(gateway, {
    method: "POST",
    path: "/admin/v1/projects/default/disable",
    key: ADMIN_KEY,
    headers: "x-tollgate-user: root\r\nx-forwarded-for: 203.0.113.9\r\n",
  });
  assert.equal(changed.status, 200);
  const [row] = await gateway.admin.storage.audit.list({ limit: 1 });
  assert.deepEqual(row!.actor, {
    channel: "admin_api",
    user: "admin key",
    address: "127.0.0.1",
  });
  assert.equal(row!.operation, "projects.disable");
  assert.match(row!.requestId ?? "", /^req_/);
});
