/**
 * What web pages of other origins may do, and what they may not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseOrigins } from "../../src/config/browser_origins.ts";
import { countCallsFrom, RequestIds } from "../../src/domain/ids.ts";
import type { RequestRecord } from "../../src/http/context/api_deps.ts";
import { withCors } from "../../src/http/cors.ts";
import { LeanResponse } from "../../src/http/listener/lean_response.ts";
import { FakeClock } from "../support/fake_clock.ts";

const APP = "https://app.example.com";
const ASKED = "authorization, content-type, x-stainless-os, anthropic-beta, idempotency-key";

function startHandler(origins: readonly string[]) {
  const served: string[] = [];
  const records: RequestRecord[] = [];
  const deps = {
    ids: new RequestIds(countCallsFrom(0), new Uint8Array(16)),
    clock: new FakeClock(),
    onRequest: (record: RequestRecord) => void records.push(record),
  };
  const handle = withCors(
    (request) => {
      served.push(`${request.method} ${new URL(request.url).pathname}`);
      return LeanResponse.make("{}", { headers: { "content-type": "application/json" } });
    },
    deps,
    origins,
  );
  const send = async (path: string, init: RequestInit = {}) =>
    await handle(new Request(`http://gate${path}`, init), { remoteAddress: "127.0.0.1" });
  const preflight = (origin: string, path = "/v1/messages", more: Record<string, string> = {}) =>
    send(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": ASKED,
        ...more,
      },
    });
  return { send, preflight, served, records };
}

function corsOf({ headers }: Response): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith("access-control") || name === "vary"),
  );
}

Deno.test("a preflight of a known origin is answered here, with whatever headers its client has", async () => {
  const { preflight, served, records } = startHandler([APP]);
  const answer = await preflight(APP);
  assert.equal(answer.status, 204);
  assert.deepEqual(corsOf(answer), {
    "access-control-allow-headers": ASKED,
    "access-control-allow-methods": "GET, HEAD, POST, DELETE",
    "access-control-allow-origin": APP,
    "access-control-max-age": "7200",
    vary: "origin",
  });
  assert.match(answer.headers.get("x-request-id")!, /^req_/);
  assert.deepEqual(served, []);
  assert.deepEqual(records.map(({ method, path, status }) => [method, path, status]), [
    ["OPTIONS", "/v1/messages", 204],
  ]);
  const local = await preflight(APP, "/v1/models", {
    "access-control-request-private-network": "true",
  });
  assert.equal(local.headers.get("access-control-allow-private-network"), "true");
});

Deno.test("answers to a known origin may be read, with request ids, rate limits and what served", async () => {
  const { send, served } = startHandler([APP]);
  const answer = await send("/v1/models", { headers: { origin: APP } });
  const { "access-control-expose-headers": exposed, ...rest } = corsOf(answer);
  assert.deepEqual(rest, { "access-control-allow-origin": APP, vary: "origin" });
  for (
    const name of [
      "x-request-id",
      "request-id",
      "retry-after",
      "x-ratelimit-remaining-tokens",
      "anthropic-ratelimit-requests-reset",
      "x-tollgate-route",
    ]
  ) assert.ok(exposed!.split(", ").includes(name), name);
  assert.deepEqual(served, ["GET /v1/models"]);
});

Deno.test("other origins, and requests of none, are served and may not be read", async () => {
  const { send, preflight, served } = startHandler([APP]);
  const others = ["https://evil.example.com", `${APP}.evil.com`, `${APP}:8443`, "null", "*", ""];
  for (const origin of others) {
    const answer = await send("/v1/models", { headers: { origin } });
    assert.deepEqual(corsOf(answer), { vary: "origin" }, origin);
    const refused = await preflight(origin);
    assert.deepEqual(corsOf(refused), { vary: "origin" }, origin);
  }
  assert.deepEqual(corsOf(await send("/v1/models")), { vary: "origin" });
  assert.equal(served.length, 2 * others.length + 1);
});

Deno.test("with * every page may, and answers do not depend on whose it is", async () => {
  const { send, preflight } = startHandler(["*"]);
  for (const origin of ["https://a.example", "null", "chrome-extension://abc"]) {
    const answer = await preflight(origin);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(answer.headers.get("vary"), null);
    const read = await send("/v1/models", { headers: { origin } });
    assert.equal(read.headers.get("access-control-allow-origin"), "*");
    assert.equal(read.headers.get("access-control-allow-credentials"), null);
  }
});

Deno.test("administration is for no page, whatever is allowed", async () => {
  const { send, preflight, served } = startHandler(["*"]);
  for (const path of ["/admin/v1/projects", "/admin", "/admin/v1/../v1/keys"]) {
    assert.deepEqual(corsOf(await send(path, { headers: { origin: APP } })), {});
    assert.deepEqual(corsOf(await preflight(APP, path)), {});
  }
  assert.equal(served.length, 6);
});

Deno.test("odd names of headers are not repeated to the browser", async () => {
  const { preflight } = startHandler([APP]);
  for (const odd of ["a b", "x;y", "", "n".repeat(101), Array(102).fill("x").join(",")]) {
    const answer = await preflight(APP, "/v1/models", { "access-control-request-headers": odd });
    assert.equal(answer.headers.get("access-control-allow-headers"), null, odd);
    assert.equal(answer.status, 204);
  }
});

Deno.test("a plain OPTIONS is no preflight", async () => {
  const { send, served } = startHandler([APP]);
  await send("/v1/models", { method: "OPTIONS", headers: { origin: APP } });
  assert.deepEqual(served, ["OPTIONS /v1/models"]);
});

Deno.test("parseOrigins() takes exact origins or * alone", () => {
  assert.deepEqual(parseOrigins("https://App.example.com , http://localhost:5173"), [
    "https://app.example.com",
    "http://localhost:5173",
  ]);
  assert.deepEqual(parseOrigins([APP, APP]), [APP]);
  assert.deepEqual(parseOrigins("*"), ["*"]);
  const wrong = ["", "app.example.com", `${APP}/`, `${APP}/x`, `*,${APP}`, "https://*.a.b", "null"];
  for (const text of wrong) assert.equal(parseOrigins(text), undefined, text);
  assert.equal(parseOrigins([]), undefined);
});
