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
  const message = await response.json();
  assert.equal(response.status, 200, JSON.stringify(message));
  assert.equal(upstream.requests.length, before + 2);
  assert.deepEqual(contentOf(upstream), [{ type: "text", text: "So." }]);
});

Deno.test("what an upstream says of a request without seals either is not told, nor asked twice of others", async () => {
  const other = "messages: at least one message is required";
  await using upstream = await startFakeUpstream((request) =>
    jsonReply({
      type: "error",
      error: {
        type: "invalid_request_error",
        message: request.body.includes(SIGNATURE) ? WRONG : other,
      },
    }, { status: 400 })
  );
  await using gateway = await serveGateway({
    env: { KEY: "k" },
    catalogue: catalogue(upstream.url, upstream.url),
  });
  await gateway.credit("dev", "1");
  const key = await gateway.key("dev");
  const sealed = [ASK, { role: "assistant", content: CONTENT }, ASK];
  for (const [messages, told, asked] of [[sealed, WRONG, 2], [[ASK], other, 1]] as const) {
    const before = upstream.requests.length;
    const response = await message(gateway, key, { messages });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.message], [400, told]);
    assert.equal(upstream.requests.length, before + asked);
  }
});

function message(gateway: ServedGateway, key: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 100, ...body }),
  });
}

Deno.test("a message with its vendor's seals stays on its route after a restart, and is asked again without them where that is forgotten", async () => {
  const env = { KEY: "k" };
  await using seldom = await startFakeUpstream(jsonReply(messageBody(CONTENT, { usage: USAGE })));
  await using often = await startFakeUpstream((request) =>
    request.body.includes(SIGNATURE)
      ? jsonReply(
        { type: "error", error: { type: "invalid_request_error", message: WRONG } },
        { status: 400 },
      )
      : jsonReply(messageBody([{ type: "text", text: "So." }], { usage: USAGE }))
  );
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-seals-" });
  const messages = [ASK, { role: "assistant", content: CONTENT }, ASK];
  try {
    let key: string;
    {
      await using gateway = await serveGateway({
        env,
        dataDir,
        expectKey: true,
        catalogue: catalogue(often.url, seldom.url),
      });
      await gateway.credit("dev", "1");
      key = await gateway.key("dev");
      await (await message(gateway, key, { messages: [ASK], route: "seldom/m" })).text();
      await gateway.server.stop();
    }
    {
      await using gateway = await serveGateway({ env, dataDir });
      const answer = await message(gateway, key, { messages, provider: { order: ["often"] } });
      assert.equal((await answer.json()).route, "seldom/m");
      assert.equal(often.requests.length, 0);
      const id = answer.headers.get("x-request-id")!;
      const told = await fetch(`${gateway.url}/v1/calls/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { placed, sticky } = await told.json();
      const seal = REDACTED.data.slice(-12);
      assert.deepEqual([placed, sticky], ["sticky", { route: "seldom/m", seal }]);
      const shown = await gateway.cli("calls", "show", id);
      assert.deepEqual(shown.sticky, { route: "seldom/m", seal });
      // Where it cannot stay, that is told as well.
      await gateway.cli("routes", "disable", "seldom/m");
      const moved = await message(gateway, key, { messages });
      assert.equal((await moved.json()).route, "often/m");
      const after = await gateway.cli("calls", "show", moved.headers.get("x-request-id")!);
      assert.deepEqual([after.route, after.sticky.route], ["often/m", "seldom/m"]);
      await gateway.cli("routes", "enable", "seldom/m");
      const other = await gateway.key("dev");
      const plain = await message(gateway, other, { messages: [ASK], route: "often/m" });
      const unsealed = await gateway.cli("calls", "show", plain.headers.get("x-request-id")!);
      assert.equal(unsealed.sticky, undefined);
      await gateway.server.stop();
    }
    assert.equal((await Deno.stat(`${dataDir}/seals.json`)).mode! & 0o777, 0o600);
    await Deno.writeTextFile(`${dataDir}/seals.json`, "{");
    await using gateway = await serveGateway({ env, dataDir });
    const before = often.requests.length;
    const order = { order: ["often"] };
    const forgotten = await message(gateway, key, { messages, provider: order });
    assert.deepEqual([forgotten.status, (await forgotten.json()).route], [200, "often/m"]);
    assert.equal(often.requests.length, before + 2);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
