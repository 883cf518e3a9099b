/**
 * The API's document: that it names what there is, and says what is answered.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, twoRoutes } from "../../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import { startTestGateway } from "../../../support/gateway.ts";
import { getJson, MODEL_MENU } from "../../../support/model_menu.ts";
import { faultsOf, resolvePointer } from "../../../support/schema_check.ts";

interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { operationId: string; responses: object }>>;
}

Deno.test("openapi.json is 3.1, names every path under both prefixes, and each reference resolves", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const response = await fetch(`${gateway.url}/openapi.json`);
  const text = await response.text();
  const document = JSON.parse(text) as OpenApiDocument;
  assert.match(document.openapi, /^3\.1\.\d+$/);

  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(references.length > 0);
  for (const reference of references) resolvePointer(document, reference);

  const API = [
    "POST /chat/completions",
    "POST /embeddings",
    "POST /completions",
    "POST /images/generations",
    "POST /audio/speech",
    "POST /images/edits",
    "POST /audio/transcriptions",
    "POST /audio/translations",
    "POST /moderations",
    "POST /rerank",
    "POST /messages",
    "POST /messages/count_tokens",
    "POST /responses",
    "POST /responses/input_tokens",
    "POST /responses/compact",
    "GET /responses/{id}",
    "DELETE /responses/{id}",
    "POST /responses/{id}/cancel",
    "GET /responses/{id}/input_items",
    "GET /models",
    "GET /models/{id}",
    "GET /calls/{request_id}",
    "GET /key",
    "POST /files",
    "GET /files",
    "GET /files/{id}",
    "DELETE /files/{id}",
    "GET /files/{id}/content",
    "HEAD /files/{id}/content",
    "POST /batches",
    "GET /batches",
    "GET /batches/{id}",
    "POST /batches/{id}/cancel",
    "POST /videos",
    "GET /videos",
    "GET /videos/{id}",
    "DELETE /videos/{id}",
    "GET /videos/{id}/content",
    "HEAD /videos/{id}/content",
  ];
  const expected = [
    ...["/v1", "/api/gateway/v1"].flatMap((prefix) =>
      API.map((line) => line.replace(" ", ` ${prefix}`))
    ),
    "POST /v2/rerank",
    "POST /api/gateway/v2/rerank",
    "GET /healthz",
    "GET /readyz",
    "GET /openapi.json",
    "GET /videos/{file}",
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
    const text = await answer.text();
    // An answer to HEAD has no body that could say what is wrong.
    const body = text === "" ? {} : JSON.parse(text);
    assert.ok(
      answer.status !== 405 && !/There is nothing at/.test(body.error?.message ?? ""),
      `${line}: ${answer.status}`,
    );
  }
});

Deno.test("openapi.json tells what films may be asked with, and what bodies must have", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  // deno-lint-ignore no-explicit-any -- looked at in places
  const { paths }: any = await (await fetch(`${gateway.url}/openapi.json`)).json();
  const content = paths["/v1/videos/{id}/content"];
  const namesOf = ({ parameters }: { parameters: { name: string; in: string }[] }) =>
    parameters.filter((one) => one.in === "header").map(({ name }) => name);
  const conditions = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
  assert.deepEqual(namesOf(content.head), conditions);
  for (const operation of [content.get, paths["/videos/{file}"].get]) {
    assert.deepEqual(namesOf(operation), ["range", "if-range", ...conditions]);
    for (const status of ["206", "304", "412"]) assert.ok(status in operation.responses, status);
  }
  assert.ok(!("206" in content.head.responses));
  assert.ok("304" in content.head.responses);

  const bodyOf = (path: string) =>
    paths[path].post.requestBody.content["application/json"].schema.properties;
  assert.deepEqual(bodyOf("/v1/responses").input.anyOf[0], { type: "string", minLength: 1 });
  const { pattern, maxLength } = bodyOf("/v1/videos").prompt;
  assert.equal(maxLength, 32_000);
  for (const text of ["", " \n", "a\0"]) assert.doesNotMatch(text, new RegExp(pattern));
  assert.match("a fox\nruns", new RegExp(pattern));
  // An answer that has not ended has no usage yet.
  const { required } = paths["/v1/responses"].post.responses["200"].content["application/json"]
    .schema;
  assert.ok(!required.includes("usage"));
});

Deno.test("openapi.json tells the headers by which clients pace themselves and try again", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  // deno-lint-ignore no-explicit-any -- looked at in places
  const { paths }: any = await (await fetch(`${gateway.url}/openapi.json`)).json();
  const headersOf = (path: string, status: string, method = "post") =>
    Object.keys(paths[`/v1${path}`][method].responses[status].headers ?? {});
  for (const path of ["/chat/completions", "/responses"]) {
    for (const name of ["x-tollgate-provider", "x-tollgate-route", "x-ratelimit-reset-tokens"]) {
      assert.ok(headersOf(path, "200").includes(name), `${path} ${name}`);
    }
  }
  assert.ok(!headersOf("/embeddings", "200").includes("x-tollgate-provider"));
  assert.ok(headersOf("/videos", "200").includes("openai-poll-after-ms"));
  assert.ok(headersOf("/videos/{id}", "200", "get").includes("openai-poll-after-ms"));
  for (const status of ["429", "503"]) {
    assert.ok(headersOf("/chat/completions", status).includes("retry-after"), status);
  }
  assert.ok(headersOf("/chat/completions", "402").includes("x-should-retry"));
  // No wait helps what is not there.
  assert.ok(!headersOf("/chat/completions", "404").includes("retry-after"));
  // It calls no model, so that it tells of no limits.
  const cancelled = headersOf("/responses/{id}/cancel", "200");
  assert.ok(cancelled.includes("idempotent-replayed"));
  assert.ok(!cancelled.some((name) => name.startsWith("x-ratelimit-")), String(cancelled));
});

Deno.test("what is answered is what openapi.json says", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  const key = await gateway.key("default");
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
  const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };
  const chat = await gateway.chat(ask, { key });
  const callId = chat.headers.get("x-request-id");
  const refused = await gateway.chat({ ...ask, route: "none" }, { key });
  const answers: readonly (readonly [path: string, status: number, body: unknown])[] = [
    ["post /v1/chat/completions", 200, await chat.json()],
    ["post /v1/chat/completions", 400, await refused.json()],
    ["get /v1/models", 200, (await getJson(gateway, "/v1/models", key)).body],
    ["get /v1/models", 401, (await getJson(gateway, "/v1/models")).body],
    ["get /v1/models/{id}", 200, (await getJson(gateway, "/v1/models/m", key)).body],
    ["get /v1/models/{id}", 404, (await getJson(gateway, "/v1/models/none", key)).body],
    ["get /v1/calls/{request_id}", 200, (await getJson(gateway, `/v1/calls/${callId}`, key)).body],
    ["get /v1/key", 200, (await getJson(gateway, "/v1/key", key)).body],
  ];
  for (const [operation, status, body] of answers) {
    const [method, path] = operation.split(" ");
    const pointer = `#/paths/${path!.replaceAll("/", "~1")}/${method}/responses/${status}` +
      "/content/application~1json/schema";
    assert.deepEqual(faultsOf(document, pointer, body), [], `${operation} ${status}`);
    // The check is one: without its first key the answer is found wanting.
    const [first] = Object.keys(body as object);
    const { [first!]: _first, ...less } = body as Record<string, unknown>;
    assert.notDeepEqual(faultsOf(document, pointer, less), [], `${operation} without ${first}`);
  }
});
