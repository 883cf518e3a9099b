/**
 * Whose keys, errors and headers a request has: those of its endpoint's family, whatever goes
 * wrong with it.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { Hono } from "@hono/hono";
import type { KeyDirectory } from "../../src/accounts/key_directory.ts";
import type { Family } from "../../src/dialects/base/dialect.ts";
import { OPENAI } from "../../src/dialects/openai/family.ts";
import { countCallsFrom, RequestIds } from "../../src/domain/ids.ts";
import type { ApiDeps } from "../../src/http/context/api_deps.ts";
import type { AppEnv } from "../../src/http/context/request_context.ts";
import { openApiEndpoint } from "../../src/http/endpoints/openapi/document.ts";
import type { Endpoint } from "../../src/http/endpoints/shape/endpoint.ts";
import { jsonEndpoint } from "../../src/http/endpoints/shape/keyed_endpoint.ts";
import { createRequestHandler, mountEndpoints } from "../../src/http/request_handler.ts";
import { sampleKey, sampleProject } from "../conformance/storage_samples.ts";
import { FakeClock } from "../support/fake_clock.ts";

const OTHER: Family = {
  ...OPENAI,
  name: "other",
  keyPlaces: [
    { header: "x-other-key", pattern: /^(\S+)$/, shown: "x-other-key: sk-tg-…" },
    ...OPENAI.keyPlaces,
  ],
  errorSchema: z.object({ fault: z.string() }),
  errorBody: ({ code }) => ({ fault: code }),
};

const told = (path: string, family?: Family) =>
  jsonEndpoint({
    path,
    family,
    id: path.slice(1),
    summary: "What it is",
    answer: z.object({ project: z.string() }),
    errors: [],
    tell: () => ({ caller: { project } }) => ({ project: project.id }),
  });

const ENDPOINTS: readonly Endpoint[] = [
  told("/own"),
  told("/other", OTHER),
  openApiEndpoint(() => ENDPOINTS),
];

function startHandler() {
  const directory: Pick<KeyDirectory, "resolve"> = {
    resolve: (key) =>
      key === "sk-tg-right"
        ? { kind: "caller", caller: { project: sampleProject(), key: sampleKey() } }
        : { kind: "unknown" },
  };
  const deps = {
    directory,
    clock: new FakeClock(),
    ids: new RequestIds(countCallsFrom(0), new Uint8Array(16)),
    onRequest: () => undefined,
  } as unknown as ApiDeps;
  const app = new Hono<AppEnv>();
  const handler = createRequestHandler(app, deps, mountEndpoints(app, ENDPOINTS, deps));
  return async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const request = new Request(`http://x${path}`, { method, headers });
    const response = await handler(request, { remoteAddress: "127.0.0.1" });
    return [response.status, await response.json()] as const;
  };
}

Deno.test("a request has the keys and errors of its endpoint's family", async () => {
  const ask = startHandler();
  const bearer = { authorization: "Bearer sk-tg-right" };
  for (const prefix of ["/v1", "/api/gateway/v1"]) {
    for (const headers of [bearer, { "x-other-key": "sk-tg-right" }]) {
      assert.deepEqual(await ask(`${prefix}/other`, headers), [200, { project: "acme" }]);
    }
    assert.deepEqual(await ask(`${prefix}/own`, bearer), [200, { project: "acme" }]);
    const refused = [401, { fault: "PROJECT_KEY_INVALID" }] as const;
    assert.deepEqual(await ask(`${prefix}/other`), refused);
    // A client may send another system's key beside ours, in whichever place.
    for (const wrong of ["no", "n o"]) {
      assert.deepEqual(
        await ask(`${prefix}/other`, { ...bearer, "x-other-key": wrong }),
        [200, { project: "acme" }],
      );
    }
    assert.deepEqual(
      await ask(`${prefix}/other`, { "authorization": "Bearer no", "x-other-key": "no" }),
      refused,
    );
    const [status, { error }] = await ask(`${prefix}/own`, { "x-other-key": "sk-tg-right" });
    assert.deepEqual([status, error.code], [401, "PROJECT_KEY_INVALID"]);
    assert.match(error.message, /: send the header 'Authorization: Bearer sk-tg-…'$/);
  }
});

Deno.test("a method that a path lacks is refused as its endpoint would", async () => {
  const ask = startHandler();
  assert.deepEqual(await ask("/v1/other", {}, "POST"), [405, { fault: "method_not_allowed" }]);
  assert.equal((await ask("/v1/own", {}, "POST"))[1].error.code, "method_not_allowed");
  assert.equal((await ask("/v1/none"))[1].error.code, "not_found");
});

Deno.test("openapi.json tells of each endpoint's keys and errors", async () => {
  const ask = startHandler();
  const [, { paths, components, security }] = await ask("/openapi.json");
  assert.deepEqual(security, [{ projectKey: [] }]);
  assert.ok(!("security" in paths["/v1/own"].get));
  assert.deepEqual(paths["/v1/other"].get.security, [
    { "projectKey_x-other-key": [] },
    { projectKey: [] },
  ]);
  assert.deepEqual(components.securitySchemes, {
    projectKey: { type: "http", scheme: "bearer" },
    "projectKey_x-other-key": { type: "apiKey", in: "header", name: "x-other-key" },
  });
  const schemaOf = (path: string) =>
    paths[path].get.responses["401"].content["application/json"].schema.$ref;
  assert.equal(schemaOf("/v1/own"), "#/components/schemas/Error");
  assert.equal(schemaOf("/v1/other"), "#/components/schemas/Error_other");
  assert.deepEqual(Object.keys(components.schemas).sort(), ["Error", "Error_other"]);
});
