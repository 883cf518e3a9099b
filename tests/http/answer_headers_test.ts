/**
 * What every answer says of itself, whatever it is: that its type is meant, and
 * who may keep it; and what none says.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RawSocket } from "../support/raw_socket.ts";
import { startVideoScene } from "./endpoints/videos/video_scene.ts";

/** Nobody needs to know what answers, and no page of another site may read it. */
const UNSAID = [
  "server",
  "x-powered-by",
  "via",
  "set-cookie",
  "access-control-allow-origin",
  "access-control-allow-credentials",
];

function checkHeaders(shown: string, headers: Headers, cacheControl: string): void {
  // A header that is there twice would read `nosniff, nosniff`.
  assert.equal(headers.get("x-content-type-options"), "nosniff", shown);
  assert.equal(headers.get("cache-control"), cacheControl, shown);
  assert.ok(headers.has("date"), shown);
  for (const name of UNSAID) assert.equal(headers.get(name), null, `${shown}: ${name}`);
}

Deno.test("no answer is sniffed, and no JSON is kept by a cache", async () => {
  await using scene = await startVideoScene();
  const { gateway, ask } = scene;
  const json = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const kept = async () => {
    const made = await json("/responses", { model: "echo-1", input: "keep", store: true });
    return (await made.json()).id as string;
  };
  const messages = [{ role: "user", content: "<script>alert(1)</script>" }];
  const answers: readonly (readonly [status: number, answer: () => Promise<Response>])[] = [
    [200, () => ask("/models")],
    [200, () => ask("/models/echo-1", { prefix: "/api/gateway/v1" })],
    [200, () => ask("/key")],
    [200, () => ask("/videos")],
    [200, () => json("/chat/completions", { model: "echo-1", messages })],
    [200, () => json("/responses", { model: "echo-1", input: "<html>" })],
    [200, () => json("/responses", { model: "echo-1", input: "a" }, { "idempotency-key": "one" })],
    [200, () => json("/responses", { model: "echo-1", input: "a" }, { "idempotency-key": "one" })],
    [200, () => scene.post({ model: "never", prompt: "<html>" })],
    [200, async () => ask(`/responses/${await kept()}`)],
    [400, () => json("/chat/completions", "{")],
    [401, () => ask("/models", { key: "sk-tg-wrong" })],
    [404, () => ask("/models/%3Cscript%3E")],
    [404, () => ask("/no/%3Cscript%3E")],
    [404, () => ask(`/videos/video_${"a".repeat(26)}/content`)],
    [405, () => ask("/models", { method: "DELETE" })],
    [405, () => ask("/models", { method: "OPTIONS", headers: { origin: "https://evil.example" } })],
    [415, () => ask("/chat/completions", { method: "POST", body: "x" })],
    [200, () => ask("", { prefix: "/healthz" })],
    [200, () => ask("", { prefix: "/readyz" })],
    [200, () => ask("", { prefix: "/openapi.json" })],
    [200, () => ask("", { prefix: "/openapi.json", method: "HEAD" })],
    [404, () => ask("", { prefix: `/videos/video_${"a".repeat(26)}.mp4` })],
    [404, () => ask("", { prefix: "/nothing" })],
  ];
  for (const [index, [status, send]] of answers.entries()) {
    const answer = await send();
    const shown = `${index}: ${answer.url}`;
    assert.equal(answer.status, status, shown);
    assert.equal(answer.headers.get("content-type"), "application/json", shown);
    checkHeaders(shown, answer.headers, "no-store");
    await answer.body?.cancel();
  }
  assert.ok(!gateway.log().includes("listener"));
});

Deno.test("streams are no pages, and are passed on as they come", async () => {
  await using scene = await startVideoScene();
  for (
    const [path, body] of [
      ["/chat/completions", { messages: [{ role: "user", content: "<b>hi</b>" }] }],
      ["/responses", { input: "<b>hi</b>" }],
    ] as const
  ) {
    const answer = await scene.ask(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "echo-1", stream: true, ...body }),
    });
    assert.equal(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(answer.headers.get("x-accel-buffering"), "no");
    checkHeaders(path, answer.headers, "no-cache");
    await answer.text();
  }
});

Deno.test("a film is a film, whoever opens it, and no cache of others keeps it", async () => {
  await using scene = await startVideoScene();
  const { id } = await scene.completed();
  const content = `/videos/${id}/content`;
  const etag = (await scene.ask(content, { method: "HEAD" })).headers.get("etag")!;
  const cases: readonly (readonly [status: number, answer: () => Promise<Response>])[] = [
    [200, () => scene.ask(content)],
    [200, () => scene.ask(content, { method: "HEAD" })],
    [206, () => scene.ask(content, { headers: { range: "bytes=0-9" } })],
    [304, () => scene.ask(content, { headers: { "if-none-match": etag } })],
    [200, () => fetch(`${scene.gateway.url}/videos/${id}.mp4`)],
    [206, () => fetch(`${scene.gateway.url}/videos/${id}.mp4`, { headers: { range: "bytes=5-" } })],
  ];
  for (const [index, [status, send]] of cases.entries()) {
    const answer = await send();
    const shown = `${index}: ${answer.url}`;
    assert.equal(answer.status, status, shown);
    if (status !== 304) assert.equal(answer.headers.get("content-type"), "video/mp4", shown);
    assert.equal(
      answer.headers.get("content-disposition"),
      `inline; filename="${id}.mp4"`,
      shown,
    );
    checkHeaders(shown, answer.headers, "private, no-cache");
    await answer.body?.cancel();
  }
});

Deno.test("answers to what is no proper HTTP, and those of the control socket, say the same", async () => {
  await using scene = await startVideoScene();
  const { hostname, port } = new URL(scene.gateway.url);
  const tcp = { transport: "tcp", hostname, port: Number(port) } as const;
  const unix = { transport: "unix", path: `${scene.gateway.dataDir}/control.sock` } as const;
  const cases = [
    [tcp, "GET / HTTP/9.9\r\n\r\n", 505],
    [tcp, "GET /<script> HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n", 400],
    [tcp, `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(70_000)}\r\n\r\n`, 431],
    [unix, "GET /admin/v1/projects HTTP/1.1\r\nhost: a\r\n\r\n", 200],
    [unix, "GET /nothing HTTP/1.1\r\nhost: a\r\n\r\n", 404],
  ] as const;
  for (const [address, request, status] of cases) {
    using socket = await RawSocket.connect(address);
    await socket.send(request);
    const answer = await socket.readResponse();
    const shown = request.slice(0, 40);
    assert.equal(answer.status, status, shown);
    checkHeaders(shown, new Headers([...answer.headers]), "no-store");
  }
});
