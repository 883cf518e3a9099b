/**
 * What `/admin/v1/openapi.json` says: every operation, as OpenAPI 3.1.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OPERATIONS } from "../../../../src/admin/operations.ts";
import { adminDocument } from "../../../../src/http/endpoints/admin/admin_document.ts";
import { startTestGateway } from "../../../support/gateway.ts";
import { faultsOf, resolvePointer } from "../../../support/schema_check.ts";

// deno-lint-ignore no-explicit-any -- looked at in places
type Document = any;

/** What OpenAPI 3.1 wants of a document, as far as ours goes. */
const OPENAPI = {
  $defs: {
    document: {
      type: "object",
      required: ["openapi", "info", "paths"],
      properties: {
        openapi: { type: "string", pattern: "^3\\.1\\.\\d+$" },
        info: {
          type: "object",
          required: ["title", "version"],
          properties: {
            title: { type: "string" },
            version: { type: "string" },
            license: { type: "object", required: ["name"] },
          },
          additionalProperties: false,
        },
        paths: {
          type: "object",
          propertyNames: { pattern: "^/" },
          additionalProperties: {
            type: "object",
            propertyNames: { enum: ["get", "post", "delete"] },
            additionalProperties: { $ref: "#/$defs/operation" },
          },
        },
        components: { type: "object" },
        security: { type: "array", items: { type: "object" } },
      },
      additionalProperties: false,
    },
    operation: {
      type: "object",
      required: ["operationId", "summary", "description", "security", "responses"],
      properties: {
        operationId: { type: "string", pattern: "^[a-z]+\\.[a-z_]+$" },
        summary: { type: "string", minLength: 10 },
        description: { type: "string", pattern: "^For the roles " },
        security: { type: "array", minItems: 1, maxItems: 1, items: { $ref: "#/$defs/security" } },
        tags: { type: "array", items: { type: "string" } },
        parameters: { type: "array", minItems: 1, items: { $ref: "#/$defs/parameter" } },
        requestBody: {
          type: "object",
          required: ["content"],
          properties: { required: { type: "boolean" }, content: { $ref: "#/$defs/content" } },
          additionalProperties: false,
        },
        responses: {
          type: "object",
          required: ["200", "400", "500"],
          propertyNames: { pattern: "^[1-5]\\d\\d$" },
          additionalProperties: {
            type: "object",
            required: ["description", "content"],
            properties: {
              description: { type: "string", minLength: 1 },
              content: { $ref: "#/$defs/content" },
              headers: { type: "object", required: [] },
            },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    security: {
      type: "object",
      required: ["administration"],
      properties: {
        administration: {
          type: "array",
          minItems: 1,
          items: { enum: ["member", "viewer", "operator", "owner"] },
        },
      },
      additionalProperties: false,
    },
    parameter: {
      type: "object",
      required: ["name", "in", "schema"],
      properties: {
        name: { type: "string" },
        in: { enum: ["path", "query", "header"] },
        required: { type: "boolean" },
        schema: { $ref: "#/$defs/schema" },
      },
      additionalProperties: false,
    },
    content: {
      type: "object",
      required: ["application/json"],
      properties: {
        "application/json": {
          type: "object",
          required: ["schema"],
          properties: { schema: { $ref: "#/$defs/schema" } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    type: { enum: ["object", "array", "string", "number", "integer", "boolean", "null"] },
    // 2020-12: a schema may be anything that is an object of known keywords.
    schema: {
      type: "object",
      properties: {
        properties: { type: "object", additionalProperties: { $ref: "#/$defs/schema" } },
        items: { $ref: "#/$defs/schema" },
        anyOf: { type: "array", minItems: 1, items: { $ref: "#/$defs/schema" } },
        required: { type: "array", items: { type: "string" } },
        type: {
          anyOf: [
            { $ref: "#/$defs/type" },
            { type: "array", minItems: 1, items: { $ref: "#/$defs/type" } },
          ],
        },
      },
    },
  },
};

Deno.test("the document is OpenAPI 3.1, and names every operation with all that it takes", () => {
  const document: Document = adminDocument(OPERATIONS);
  assert.deepEqual(faultsOf(OPENAPI, "#/$defs/document", document), []);
  const text = JSON.stringify(document);
  for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
    resolvePointer(document, reference!);
  }
  for (const { name, method, path } of OPERATIONS) {
    const operation = document.paths[`/admin/v1${path}`][method.toLowerCase()];
    assert.equal(operation.operationId, name);
    const inPath = (operation.parameters ?? []).filter((one: Document) => one.in === "path");
    assert.deepEqual(
      inPath.map((one: Document) => `{${one.name}}`),
      path.match(/\{\w+\}/g) ?? [],
      name,
    );
    assert.ok(inPath.every((one: Document) => one.required && one.schema.type === "string"), name);
  }
  const { get, post } = document.paths["/admin/v1/keys"];
  assert.deepEqual(get.parameters.map((one: Document) => one.name), ["limit", "after", "project"]);
  const { schema } = post.requestBody.content["application/json"];
  assert.deepEqual(schema.required, ["project"]);
  assert.equal(post.requestBody.required, true);
  const row = get.responses["200"].content["application/json"].schema.properties.data.items;
  assert.ok(!("key" in row.properties) && row.required.includes("prefix"));
  assert.match(post.responses["404"].description, /not_found/);
  // What may go on while nobody waits says so, and how it is asked to.
  const { post: verify } = document.paths["/admin/v1/ledger/verify"];
  assert.deepEqual(verify.parameters.map((one: Document) => [one.name, one.in]), [
    ["Prefer", "header"],
  ]);
  assert.match(verify.description, /`Prefer: respond-async`/);
  assert.ok("state" in verify.responses["202"].content["application/json"].schema.properties);
  assert.equal(post.responses["202"], undefined);
});

Deno.test("it is served where administration is, and tells over TCP what may be done there", async () => {
  const adminKey = "an-admin-key-for-tests";
  await using gateway = await startTestGateway({ adminKey });
  const url = `${gateway.url}/admin/v1/openapi.json`;
  const refused = await fetch(url);
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${adminKey}` } });
  const document: Document = await answer.json();
  assert.equal(answer.status, 200);
  const remote = OPERATIONS.filter(({ isLocal }) => isLocal !== true);
  assert.deepEqual(document, JSON.parse(JSON.stringify(adminDocument(remote))));
  assert.deepEqual(Object.keys(document.paths["/admin/v1/backups"]), ["get"]);
});

Deno.test("what is refused before an operation is asked is in the document too", async () => {
  const adminKey = "an-admin-key-for-tests";
  await using gateway = await startTestGateway({ adminKey });
  const document: Document = adminDocument(OPERATIONS);
  const ask = async (path: string, init: RequestInit, key = adminKey) => {
    const headers = { "content-type": "application/json", ...init.headers };
    const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
      ...init,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    const { error } = await answer.json();
    const { responses } = document.paths[`/admin/v1${path}`][init.method!.toLowerCase()];
    assert.ok(responses[answer.status]?.description.split(", ").includes(error.code), error.code);
    return answer.status;
  };
  assert.equal(await ask("/keys", { method: "GET" }, "another"), 401);
  const post = (body: string, type = "application/json") =>
    ask("/keys", { method: "POST", body, headers: { "content-type": type } });
  assert.equal(await post("{"), 400);
  assert.equal(await post(" ".repeat(20 * 1024 * 1024 + 1)), 413);
  assert.equal(await post("project: shop", "application/yaml"), 415);
  assert.ok(!("413" in document.paths["/admin/v1/keys"].get.responses));
});
