/**
 * Whatever a caller sends, the program answers it in OpenAI's shape, charges
 * nothing for it, tells nothing it should not, and goes on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { assertErrorBody, assertTellsNothing } from "./bad_input/answer_checks.ts";
import type { BadRequest } from "./bad_input/bad_request.ts";
import { BAD_BODIES, BAD_FIELDS, BAD_ROUTING } from "./bad_input/body_cases.ts";
import { BAD_HEADS, BAD_KEYS, BAD_PATHS } from "./bad_input/head_cases.ts";
import { BAD_INPUTS, BAD_ITEMS } from "./bad_input/input_cases.ts";

const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";
const PROMPT = "a prompt that nobody may log";

function catalogue(upstreamUrl: string): string {
  const price = `sale: { input: "2", output: "4" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - id: remote
    kind: openai_compatible
    base_url: "${upstreamUrl}"
    api_key: env:UPSTREAM_KEY
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, ${price} }]
  - id: theirs
    kind: chat
    routes: [{ id: remote/theirs, provider: remote, upstream_model: upstream-name, ${price} }]
  - id: secret
    kind: chat
    routes: [{ id: builtin/secret, provider: builtin, upstream_model: echo-1, ${price} }]
  - id: vectors
    kind: embedding
    routes: [{ id: builtin/vectors, provider: builtin, upstream_model: hash-embed-1, free: true }]
projects:
  - { id: paying, unlimited: false, models: [echo-1, theirs, vectors] }
`;
}

async function start(upstreamUrl: string): Promise<{ gateway: ServedGateway; key: string }> {
  const gateway = await serveGateway({
    catalogue: catalogue(upstreamUrl),
    env: { UPSTREAM_KEY },
  });
  await gateway.credit("paying", "10");
  return { gateway, key: await gateway.key("paying") };
}

/** Nothing was charged or is held, and the program takes the next call. */
async function assertUntouched(gateway: ServedGateway, key: string): Promise<void> {
  const { project } = await gateway.get("/v1/key", key);
  assert.deepEqual(
    { balance: project.balance, held: project.held },
    { balance: "10.00000000", held: "0.00000000" },
  );
  const health = await fetch(`${gateway.url}/healthz`);
  assert.deepEqual(await health.json(), { status: "ok" });
}

function connect({ url }: ServedGateway): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  return RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
}

async function send(socket: RawSocket, bad: BadRequest, key: string): Promise<void> {
  const headers: Record<string, string | undefined> = {
    "authorization": "Bearer {key}",
    "content-type": "application/json",
    ...bad.headers,
  };
  const body = typeof bad.body === "string" ? new TextEncoder().encode(bad.body) : bad.body;
  if (body !== undefined) headers["content-length"] = String(body.length);
  const lines = Object.entries(headers).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${bad.method ?? "POST"} ${bad.target ?? "/v1/chat/completions"} HTTP/1.1\r\n` +
    `Host: gateway.test\r\n${lines.join("")}\r\n`;
  await socket.send(latin1(head.replaceAll("{key}", key)));
  if (body !== undefined) await socket.send(body);
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

Deno.test("wrong requests are answered by name, cost nothing and tell nothing", async (test) => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  const { gateway, key } = await start(upstream.url);
  await using _ = gateway;
  const cases = [
    ...BAD_BODIES,
    ...BAD_FIELDS,
    ...BAD_ROUTING,
    ...BAD_ITEMS,
    ...BAD_INPUTS,
    ...BAD_KEYS,
    ...BAD_PATHS,
  ];
  for (const bad of cases) {
    await test.step(bad.name, async () => {
      using socket = await connect(gateway);
      await send(socket, bad, key);
      const { status, headers, body } = await socket.readResponse({
        bodyless: bad.method === "HEAD",
      });
      assert.equal(headers.get("content-type"), "application/json");
      assert.match(headers.get("x-request-id") ?? "", /^req_[\w-]+$/);
      assert.equal(headers.get("allow"), bad.allow);
      if (bad.method === "HEAD") assert.equal(status, bad.status);
      else assertErrorBody({ status, body }, { param: null, ...bad });
      assertTellsNothing(body, { key, port: upstream.port, upstreamKey: UPSTREAM_KEY });
      await assertUntouched(gateway, key);
    });
  }
  assert.equal(upstream.requests.length, 0);
  await finish(gateway, key);
});

Deno.test("heads that are no HTTP are refused, and nothing that follows them is served", async (test) => {
  const { gateway, key } = await start("http://127.0.0.1:9/v1");
  await using _ = gateway;
  for (const { name, head, status: expected, code = "malformed_request" } of BAD_HEADS) {
    await test.step(name, async () => {
      using socket = await connect(gateway);
      const smuggled = `GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      await socket.send(latin1(head.replaceAll("{key}", key) + smuggled));
      const { status, headers, body } = await socket.readResponse();
      assert.equal(headers.get("content-type"), "application/json");
      assert.match(headers.get("x-request-id") ?? "", /^req_[\w-]+$/);
      assertErrorBody({ status, body }, {
        status: expected,
        code,
        param: null,
      });
      assertTellsNothing(body, { key, port: 9, upstreamKey: UPSTREAM_KEY });
      const { text, reset } = await socket.readToEnd();
      assert.deepEqual({ text, reset }, { text: "", reset: false });
      await assertUntouched(gateway, key);
    });
  }
  await finish(gateway, key);
});

Deno.test("a body of 50 MB is refused by an answer that its sender can read", async () => {
  const { gateway, key } = await start("http://127.0.0.1:9/v1");
  await using _ = gateway;
  const content = "x".repeat(50_000_000);
  const body = JSON.stringify({ model: "echo-1", messages: [{ role: "user", content }] });
  for (const sent of [body, new Blob([body]).stream()]) {
    const response = await gateway.chat(key, sent);
    const text = await response.text();
    assertErrorBody({ status: response.status, body: text }, {
      status: 413,
      code: "request_too_large",
      param: null,
    });
    assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
    await assertUntouched(gateway, key);
  }
  await finish(gateway, key);
});

Deno.test("the scheme of a key may be written in any case, the type with a charset", async () => {
  const { gateway, key } = await start("http://127.0.0.1:9/v1");
  await using _ = gateway;
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `${scheme} ${key}` },
    });
    await response.body?.cancel();
    assert.equal(response.status, 200, scheme);
  }
  const typed = await gateway.chat(key, {
    model: "echo-1",
    messages: [{ role: "user", content: "x" }],
  }, {
    headers: { "content-type": "Application/JSON; charset=UTF-8" },
  });
  assert.equal(typed.status, 200);
  await typed.body?.cancel();
  const health = await fetch(`${gateway.url}/healthz`, { method: "HEAD" });
  assert.deepEqual([health.status, await health.text()], [200, ""]);
});

Deno.test("nothing that a caller writes reaches an upstream's address, headers or credentials", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using trap = await startFakeUpstream(jsonReply(answerBody("caught")));
  const { gateway, key } = await start(upstream.url);
  await using _ = gateway;
  const evil = {
    base_url: trap.url,
    api_base: trap.url,
    api_key: "sk-evil-api-key-000000",
    headers: { "x-evil-header": "evil-value", "authorization": "Bearer evil" },
    extra_headers: { "x-evil-header": "evil-value" },
    litellm_params: { api_base: trap.url, api_key: "sk-evil-litellm-0000" },
    provider: "remote",
    route: "remote/theirs",
    routing_preference: "lowest_price",
    source_policy: { exclude_risk_levels: ["high"] },
  };
  for (const stream of [false, true]) {
    const before = upstream.requests.length;
    const response = await gateway.chat(key, {
      model: "theirs",
      messages: [{ role: "user", content: PROMPT }],
      stream,
      temperature: 0.5,
      a_field_nobody_knows: { kept: [1, null, "x"] },
      ...evil,
    }, {
      headers: {
        "x-evil-header": "evil-value",
        "cookie": "evil=1",
        "user-agent": "evil-agent",
        "openai-organization": "org-evil",
        "x-forwarded-for": "6.6.6.6",
        "x-forwarded-host": "evil.test",
        "x-stainless-lang": "js",
        "x-request-id": "evil-id",
        "referer": "http://evil.test/",
      },
    });
    assert.notEqual(response.headers.get("x-request-id"), "evil-id");
    await response.body?.cancel();
    const request = upstream.requests[before]!;
    assert.equal(request.method, "POST");
    assert.equal(request.target, "/v1/chat/completions");
    assert.equal(request.headers.get("authorization"), `Bearer ${UPSTREAM_KEY}`);
    assert.equal(request.headers.get("host"), `127.0.0.1:${upstream.port}`);
    assert.doesNotMatch(request.head, /evil|6\.6\.6\.6|stainless|openai-|sk-tg-|cookie/i);
    const sent = request.json();
    assert.equal(sent.model, "upstream-name");
    assert.equal(sent.temperature, 0.5);
    assert.deepEqual(sent.a_field_nobody_knows, { kept: [1, null, "x"] });
    for (const field of Object.keys(evil)) assert.equal(field in sent, false, field);
    assert.doesNotMatch(request.body, /evil|sk-tg-/);
  }
  assert.equal(trap.connections, 0);
  await finish(gateway, key);
});

/** The books add up, and the log has no keys, prompts, control characters or stack traces. */
async function finish(gateway: ServedGateway, key: string): Promise<void> {
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await gateway.server.stop();
  assert.equal(code, 0);
  for (const hidden of [key, UPSTREAM_KEY, PROMPT, "Hello", "\u001b", "\u202e", "sk-evil"]) {
    assert.equal(stderr.includes(hidden), false, `the log has ${JSON.stringify(hidden)}`);
  }
  assert.doesNotMatch(stderr, /^\s+at |\.ts:\d|internal_error|TypeError/m);
}
