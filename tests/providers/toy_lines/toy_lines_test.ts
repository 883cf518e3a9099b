import assert from "node:assert/strict";
import { startFakeUpstream, textReply } from "../../support/fake_upstream.ts";
import { startTestGateway } from "../../support/gateway.ts";

const LINES = '{"say":"Hel"}\n{"say":"lo"}\n{"heard":7,"said":2}\n';
const TYPE = "application/x-toy-lines";

function catalogue(url: string, extra = ""): string {
  return `
providers:
  - { id: toy, kind: toy_lines, base_url: "${url}", api_key: env:TOY, toy_mood: lively }
models:
  - id: m
    kind: chat
    routes:
      - { id: toy/m, provider: toy, upstream_model: bear, sale: { input: "1", output: "2" } }
${extra}projects:
  - { id: default, unlimited: true }
`;
}

Deno.test("a toy kind serves chat and responses, plain and streamed, and is priced", async () => {
  await using upstream = await startFakeUpstream(() => textReply(TYPE, LINES));
  await using gateway = await startTestGateway({
    catalogue: catalogue(upstream.url),
    secrets: { TOY: "toy-secret-1" },
  });
  const key = await gateway.key("default");
  const ask = { model: "m", messages: [{ role: "user", content: "Hi" }] };
  const answer = await (await gateway.chat(ask, { key })).json();
  assert.equal(answer.choices[0].message.content, "Hello");
  assert.deepEqual([answer.usage.prompt_tokens, answer.usage.completion_tokens], [7, 2]);
  assert.equal(answer.pricing.sale_amount, "0.00001100");
  const [request] = upstream.requests;
  assert.equal(request!.headers.get("x-toy-key"), "toy-secret-1");
  assert.deepEqual(request!.json(), { mood: "lively", model: "bear", lines: ["user: Hi"] });

  const streamed = await (await gateway.chat({ ...ask, stream: true }, { key })).text();
  assert.match(streamed, /"content":"Hel".*\n\n.*"content":"lo"/s);
  assert.match(streamed, /data: \[DONE\]/);

  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", input: "Hi" }),
  });
  assert.equal((await response.json()).output[0].content[0].text, "Hello");
});

Deno.test("a toy's error is judged, and its broken stream too", async () => {
  await using upstream = await startFakeUpstream([
    textReply("text/plain", "no such bear toy-secret-1", { status: 400 }),
    textReply(TYPE, '{"oops":"model overloaded"}\n'),
  ]);
  await using gateway = await startTestGateway({
    catalogue: catalogue(upstream.url),
    secrets: { TOY: "toy-secret-1" },
  });
  const key = await gateway.key("default");
  const ask = { model: "m", messages: [{ role: "user", content: "Hi" }] };
  const refused = await (await gateway.chat(ask, { key })).json();
  assert.equal(refused.error.message, "no such bear [redacted]");
});

Deno.test("a toy's models are of no kind that it does not serve, and its setting has two words", async () => {
  const film = "  - { id: f, kind: video, routes: [{ id: toy/f, provider: toy, free: true }] }\n";
  await assert.rejects(
    startTestGateway({ catalogue: catalogue("http://h", film) }),
    /A toy_lines provider serves no video models: it serves chat/,
  );
  await assert.rejects(
    startTestGateway({ catalogue: catalogue("http://h").replace("lively", "sad") }),
    /toy_mood: Expected one of calm, lively/,
  );
});
