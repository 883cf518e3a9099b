/**
 * The reference over HTTP: a page for every operation, a search, requests that are taken as they
 * stand, and nothing that runs or comes from elsewhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createToken } from "../../../src/admin/accounts/tokens.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { OPERATIONS } from "../../../src/admin/operations.ts";
import { piecesOf } from "../../../src/http/docs/code_text.ts";
import { operationsOf } from "../../../src/http/docs/described.ts";
import { curlOf, exampleBody, exampleQuery } from "../../../src/http/docs/examples.ts";
import { adminDocument } from "../../../src/http/endpoints/admin/admin_document.ts";
import { apiDocument } from "../../../src/http/endpoints/openapi/document.ts";
import { ENDPOINTS } from "../../../src/http/server.ts";
import { startTestGateway } from "../../support/gateway.ts";

const OF_CALLERS = operationsOf(apiDocument(ENDPOINTS));
const OF_OPERATORS = operationsOf(adminDocument(OPERATIONS));

async function read(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { redirect: "manual", ...init });
  return { answer, text: await answer.text() };
}

Deno.test("every operation of callers has a page with its fields, errors and a request", async () => {
  await using gateway = await startTestGateway();
  const { answer, text: list } = await read(`${gateway.url}/docs`);
  assert.equal(answer.status, 200);
  const policy = answer.headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none'; style-src 'self'/);
  assert.doesNotMatch(policy, /script-src|unsafe/);
  assert.doesNotMatch(list, /<script|https?:\/\/(?!127\.0\.0\.1)/);
  assert.equal(OF_CALLERS.length, list.match(/<li>/g)!.length);
  for (const { operationId, method, path } of OF_CALLERS) {
    assert.ok(list.includes(`href="/docs?operation=${operationId}"`), operationId);
    const { answer, text } = await read(`${gateway.url}/docs?operation=${operationId}`);
    assert.equal(answer.status, 200, operationId);
    assert.ok(text.includes(`<h1>${method} ${path}</h1>`), operationId);
    assert.match(text, /<pre><code>curl /, operationId);
    assert.doesNotMatch(text, /undefined|\[object|<script/, operationId);
  }
  const { text } = await read(`${gateway.url}/docs?operation=createChatCompletion`);
  assert.match(text, /<code>routing_preference<\/code>/);
  assert.match(text, /<code>lowest_price<\/code>, <code>highest_reliability<\/code>/);
  assert.match(text, /href="\/docs\/errors#status-402">402<\/a><\/dt><dd>INSUFFICIENT_BALANCE/);
  const { text: errors } = await read(`${gateway.url}/docs/errors`);
  assert.match(errors, /id="status-402"/);
  assert.match(errors, /<code>idempotency_key_reused<\/code>/);
});

Deno.test("a search finds by field and by error, and what was asked stays text", async () => {
  await using gateway = await startTestGateway();
  const search = async (words: string) =>
    (await read(`${gateway.url}/docs?q=${encodeURIComponent(words)}`)).text;
  assert.match(await search("voice SPEECH"), /Found: 1.*createSpeech/s);
  assert.match(await search("video_not_ready"), /downloadVideo/);
  const first = /operation=(\w+)/.exec(await search("embeddings"))![1];
  assert.equal(first, "createEmbedding", "what has it in its path comes first");
  const evil = `"><img src=x onerror=alert(1)>`;
  const none = await search(evil);
  assert.match(none, /Found: 0/);
  assert.ok(!none.includes("<img"));
  assert.ok(!(await search("x".repeat(5_000))).includes("x".repeat(201)));
  const { answer, text } = await read(`${gateway.url}/docs?operation=${encodeURIComponent(evil)}`);
  assert.equal(answer.status, 404);
  assert.ok(!text.includes("<img"));
  const post = await read(`${gateway.url}/docs`, { method: "POST" });
  assert.equal(post.answer.status, 405);
});

Deno.test("the admin API's pages are for who is signed in, of any role", async () => {
  await using gateway = await startTestGateway();
  const refused = await read(`${gateway.url}/console/docs?operation=keys.create`);
  assert.equal(refused.answer.status, 303);
  assert.match(refused.answer.headers.get("location")!, /sign-in/);
  const open = await read(`${gateway.url}/docs?operation=keys.create`);
  assert.equal(open.answer.status, 404);
  const input = { name: "anna", role: "viewer" } as const;
  const { token } = await runOperation(createToken, { deps: gateway.admin, input });
  const entered = await read(`${gateway.url}/console/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ admin_key: token }),
  });
  const cookie = entered.answer.headers.get("set-cookie")!.split(";")[0]!;
  const { text: list } = await read(`${gateway.url}/console/docs`, { headers: { cookie } });
  for (const { name } of OPERATIONS.filter(({ isLocal }) => isLocal !== true)) {
    assert.ok(list.includes(`href="/console/docs?operation=${name}"`), name);
  }
  for (const name of ["keys.create", "usage.report"]) {
    const url = `${gateway.url}/console/docs?operation=${name}`;
    const { answer, text } = await read(url, { headers: { cookie } });
    assert.match(answer.headers.get("content-security-policy")!, /^default-src 'none'/);
    assert.match(text, /For the roles [^.]*operator/);
    assert.match(text, /Bearer \$TOLLGATE_ADMIN_KEY/);
    assert.ok(!text.includes(token));
  }
});

Deno.test("without a console the address alone leads to the reference", async () => {
  await using gateway = await startTestGateway({ console: "off" });
  const { answer } = await read(gateway.url);
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/docs"]);
  const { text } = await read(`${gateway.url}/docs`);
  assert.ok(!text.includes("/console"));
});

Deno.test("every request that is shown is what its operation takes", () => {
  for (const { description } of ENDPOINTS) {
    const shown = OF_CALLERS.find(({ operationId }) => operationId === description?.id);
    const body = shown && exampleBody(shown);
    if (body === undefined) continue;
    const { error } = description!.request!.schema.safeParse(body);
    assert.equal(error, undefined, `${description!.id}: ${error}`);
  }
  for (const { name, input } of OPERATIONS) {
    const shown = OF_OPERATORS.find(({ operationId }) => operationId === name)!;
    const parts = Object.fromEntries(
      [...shown.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => [part!, "anna"]),
    );
    const given = { ...parts, ...exampleQuery(shown), ...exampleBody(shown) };
    const { error } = input.safeParse(given);
    assert.equal(error, undefined, `${name}: ${JSON.stringify(given)} ${error}`);
  }
});

Deno.test("a request is written for a shell", () => {
  const of = (id: string) => OF_CALLERS.find(({ operationId }) => operationId === id)!;
  const told = { baseUrl: "https://llm.example.com", bearer: "sk-tg-…" } as const;
  assert.equal(
    curlOf(of("deleteVideo"), told),
    `curl -X DELETE https://llm.example.com/v1/videos/ID \\\n  -H "Authorization: Bearer sk-tg-…"`,
  );
  assert.equal(curlOf(of("healthz"), told), "curl https://llm.example.com/healthz");
  assert.match(curlOf(of("downloadVideo"), told), /-o FILE$/);
  assert.match(curlOf(of("createFile"), told), /-F purpose=batch \\\n {2}-F file=@lines\.jsonl$/);
});

Deno.test("text is cut where code begins and ends", () => {
  assert.deepEqual(piecesOf("one of `a`, `` ` `` or none"), [
    { text: "one of ", isCode: false },
    { text: "a", isCode: true },
    { text: ", ", isCode: false },
    { text: "`", isCode: true },
    { text: " or none", isCode: false },
  ]);
});
