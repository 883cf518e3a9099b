/**
 * Sealed thoughts of a conversation through the program: callers of chat get them, give them back, and
 * stay on the route that can read them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { messageBody, messageEvents, messageReply } from "../support/message_bodies.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const SIGNATURE = "EqQBCkYIB+/c2lnbmF0dXJl==";
const THOUGHT = { type: "thinking", thinking: "Hm.", signature: SIGNATURE };
const REDACTED = { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix==" };
const CONTENT = [THOUGHT, REDACTED, { type: "text", text: "So." }];
const USAGE = { input_tokens: 10, output_tokens: 5 };
const WRONG = "messages.1.content.0: Invalid `signature` in `thinking` block";

type Json = Record<string, unknown>;

/** Of two routes the first serves nearly all that is not bound to the other. */
function catalogue(often: string, seldom: string): string {
  const provider = (id: string, url: string) =>
    `  - { id: ${id}, kind: anthropic, base_url: "${url.replace(/\/v1$/, "")}", api_key: env:KEY }`;
  const route = (id: string, weight: number) =>
    `      - { id: ${id}/m, provider: ${id}, upstream_model: claude-opus-4-8, weight: ${weight}, sale: { free: true } }`;
  return `
providers:
${provider("often", often)}
${provider("seldom", seldom)}
  - { id: box, kind: openai_compatible, base_url: "${seldom}" }
models:
  - id: m
    kind: chat
    routes:
${route("often", 1_000_000)}
${route("seldom", 1)}
  - id: box
    kind: chat
    routes: [{ id: box/m, provider: box, upstream_model: box, sale: { free: true } }]
projects:
  - { id: dev, models: ["*"] }
`;
}

async function chat(gateway: ServedGateway, key: string, body: object): Promise<Json> {
  const response = await gateway.chat(key, { model: "m", ...body });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

const ASK = { role: "user", content: "Hi" };

/** The assistant's message, as its caller gives it back. */
function saidIn(answer: Json): Json {
  return (answer.choices as { message: Json }[])[0]!.message;
}

function contentOf(upstream: FakeUpstream): unknown {
  const { messages } = upstream.requests.at(-1)!.json() as { messages: Json[] };
  return messages[1]!.content;
}

Deno.test("a chat with sealed thoughts stays on its route, also after a restart", async () => {
  const env = { KEY: "k" };
  await using often = await startFakeUpstream(jsonReply(messageBody(CONTENT, { usage: USAGE })));
  await using seldom = await startFakeUpstream(jsonReply(messageBody(CONTENT, { usage: USAGE })));
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-seals-" });
  try {
    let said: Json;
    let key: string;
    const wishes = { route: "seldom/m" };
    {
      await using gateway = await serveGateway({
        env,
        dataDir,
        expectKey: true,
        catalogue: catalogue(often.url, seldom.url),
      });
      await gateway.credit("dev", "1");
      key = await gateway.key("dev");
      said = saidIn(await chat(gateway, key, { messages: [ASK], ...wishes }));
      assert.equal(said.reasoning_content, "Hm.");
      assert.equal((said.reasoning_details as Json[]).length, 2);
      assert.ok(!JSON.stringify(said).includes(`"${SIGNATURE}"`));
      const answer = await chat(gateway, key, { messages: [ASK, said, ASK] });
      assert.equal(answer.route, "seldom/m");
      assert.deepEqual(contentOf(seldom), CONTENT);

      // A route of another vendor's is not shown what only the first can read.
      await gateway.chat(key, { model: "box", messages: [ASK, said, ASK] });
      assert.ok(!seldom.requests.at(-1)!.body.includes("tg1."));

      const explained = await gateway.cli("routes", "explain", "m", "--sticky", "seldom/m");
      assert.deepEqual(
        explained.candidates.map((
          { route, sticky, first_chance: chance }: Json,
        ) => [route, sticky, chance]),
        [["seldom/m", true, 1], ["often/m", false, 0]],
      );
      assert.match(explained.candidates[0].place, /^sticky: /);
      const log = gateway.server.stderr + gateway.server.stdout;
      assert.equal(log.split('"placed":"sticky"').length, 2, log);
    }
    await using gateway = await serveGateway({ env, dataDir });
    const answer = await chat(gateway, key, { messages: [ASK, said, ASK] });
    assert.equal(answer.route, "seldom/m");
    assert.equal(often.requests.length, 0);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("thoughts that an upstream does not take back are left out, once, for who cannot mend it", async () => {
  await using upstream = await startFakeUpstream((request) =>
    request.body.includes(`"thinking":"Hm."`)
      ? jsonReply(
        { type: "error", error: { type: "invalid_request_error", message: WRONG } },
        { status: 400 },
      )
      : request.json().stream === true
      ? messageReply(messageEvents(CONTENT, { usage: USAGE }))
      : jsonReply(messageBody(CONTENT, { usage: USAGE }))
  );
  await using gateway = await serveGateway({
    env: { KEY: "k" },
    catalogue: catalogue(upstream.url, upstream.url),
  });
  await gateway.credit("dev", "1");
  const key = await gateway.key("dev");
  const said = saidIn(await chat(gateway, key, { messages: [ASK] }));
  for (const stream of [false, true]) {
    const before = upstream.requests.length;
    const response = await gateway.chat(key, { model: "m", stream, messages: [ASK, said, ASK] });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.ok(text.includes("reasoning_details"));
    assert.equal(upstream.requests.length, before + 2);
    assert.deepEqual(contentOf(upstream), [{ type: "text", text: "So." }]);
  }
  // Its own clients mend it themselves, by its words.
  const before = upstream.requests.length;
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      max_tokens: 100,
      messages: [ASK, { role: "assistant", content: CONTENT }, ASK],
    }),
  });
  const refusal = await response.json();
  assert.deepEqual([response.status, refusal.error.message], [400, WRONG]);
  assert.equal(upstream.requests.length, before + 1);
});
