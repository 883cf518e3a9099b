/**
 * The executable with an operator's guard beside it: a service that has nothing of the gateway but its
 * address and a secret.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OpenAI } from "openai7";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { assertBooksAddUp, balanceOf, NONE, servePaying } from "../support/paying_gateway.ts";
import type { ServedGateway } from "../support/served_gateway.ts";

// deno-lint-ignore no-explicit-any -- events and answers, read as they come
type Untyped = any;

const SECRET = `whsec_${btoa("a secret of the guard's, 32 long")}`;
const HELLO = { model: "m", messages: [{ role: "user", content: "my card 4111" }] };
const USED = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };

interface World {
  readonly gateway: ServedGateway;
  readonly key: string;
  readonly upstream: FakeUpstream;
  readonly guard: FakeUpstream;
}

/** `say` is the guard's service; it has checked the signature of each event before. */
async function withGuard(
  say: (event: Untyped) => Reply,
  args: readonly string[],
  run: (world: World) => Promise<void>,
): Promise<void> {
  await using upstream = await startFakeUpstream(({ body }): Reply =>
    JSON.parse(body).stream === true
      ? sseReply([chunk({ content: "Paris" }), finishChunk(), usageChunk(1_000, 500), "[DONE]"])
      : jsonReply(answerBody("Paris", USED))
  );
  const checker = new OpenAI({ apiKey: "none", webhookSecret: SECRET });
  await using guard = await startFakeUpstream(async ({ body, headers }) =>
    say(await checker.webhooks.unwrap(body, Object.fromEntries(headers)))
  );
  const folder = await Deno.makeTempDir({ prefix: "tollgate-guard-" });
  try {
    await Deno.writeTextFile(`${folder}/secret`, SECRET, { mode: 0o600 });
    const { gateway, key } = await servePaying(upstream.url, [
      ...["--guard-url", `${guard.url}/look`, "--guard-secret", `file:${folder}/secret`],
      ...["--webhook-private-addresses", "true", ...args],
    ]);
    await using _ = gateway;
    await run({ gateway, key, upstream, guard });
    assert.doesNotMatch(
      guard.requests.map(({ head, body }) => head + body).join(),
      /sk-tg-/,
      "nothing of a project key is told",
    );
    assert.ok(
      !`${gateway.server.stdout}${gateway.server.stderr}`.includes(SECRET.slice(6)),
      "nor the secret logged",
    );
    await assertBooksAddUp(gateway);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const allow = () => jsonReply({ action: "allow" });

/** Likewise with `word` taken out. */
const without = (word: string) => ({ data: { body } }: Untyped): Reply =>
  jsonReply({ action: "redact", body: JSON.parse(JSON.stringify(body).replaceAll(word, "***")) });

Deno.test("a guard of the executable allows, redacts and refuses requests and answers, whole and streamed", async () => {
  let say: (event: Untyped) => Reply = allow;
  await withGuard((event) => say(event), ["--guard-answers", "true"], async (world) => {
    const { gateway, key, upstream, guard } = world;
    const ask = (fields: object = {}) => gateway.chat(key, { ...HELLO, ...fields });
    assert.match(await (await ask()).text(), /"Paris"/);
    assert.match(await (await ask({ stream: true })).text(), /Paris[^]*\[DONE\]/);
    assert.deepEqual(
      guard.requests.map(({ body }) => JSON.parse(body).type),
      ["guard.request", "guard.answer", "guard.request", "guard.answer"],
    );
    const paid = await balanceOf(gateway);
    say = (event) =>
      event.type === "guard.request" ? without("4111")(event) : without("Paris")(event);
    for (const stream of [false, true]) {
      const text = await (await ask({ stream })).text();
      assert.match(text, /"content":"\*\*\*"/);
      assert.doesNotMatch(text, /Paris/);
      const sent = upstream.requests.at(-1)!.body;
      assert.match(sent, /my card \*\*\*/);
      assert.doesNotMatch(sent, /4111/);
    }
    say = () => jsonReply({ action: "refuse", reason: "a card number" });
    const before = await balanceOf(gateway);
    assert.notDeepEqual(before, paid, "what was redacted is charged");
    for (const stream of [false, true]) {
      const response = await ask({ stream });
      assert.equal(response.status, 403);
      const { error } = await response.json();
      assert.equal(error.code, "refused_by_guard");
      assert.match(error.message, /a card number/);
    }
    assert.deepEqual(await balanceOf(gateway), before);
    assert.equal(before.held, NONE);
    assert.equal(upstream.requests.length, 4);
    say = ({ type }) => type === "guard.request" ? allow() : jsonReply({ action: "refuse" });
    for (const stream of [false, true]) {
      const response = await ask({ stream });
      assert.equal(response.status, 403);
      assert.doesNotMatch(await response.text(), /Paris/);
    }
    assert.notDeepEqual(await balanceOf(gateway), before, "an answer that was made is charged");
  });
});

Deno.test("a guard that stays silent refuses everything, or nothing where that is asked for", async () => {
  const silent = (): Reply => ({ steps: ["stall!"] });
  const limit = ["--guard-timeout-ms", "100"];
  await withGuard(silent, limit, async ({ gateway, key, upstream }) => {
    for (const stream of [false, true]) {
      const response = await gateway.chat(key, { ...HELLO, stream });
      assert.equal(response.status, 503);
      assert.equal((await response.json()).error.code, "guard_unavailable");
      assert.equal(response.headers.get("retry-after"), "5");
    }
    assert.equal(upstream.requests.length, 0);
  });
  await withGuard(silent, [...limit, "--guard-policy", "fail_open"], async (world) => {
    const { gateway, key, upstream } = world;
    const response = await gateway.chat(key, HELLO);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"Paris"/);
    assert.equal(upstream.requests.length, 1);
  });
});

Deno.test("a project's own secret signs besides the guard's", async () => {
  await withGuard(allow, [], async ({ gateway, key, guard }) => {
    const { secret } = await gateway.cli("projects", "webhook-secret", "paying");
    assert.equal((await gateway.chat(key, HELLO)).status, 200);
    const { body, headers } = guard.requests[0]!;
    const client = new OpenAI({ apiKey: "none", webhookSecret: secret });
    await client.webhooks.unwrap(body, Object.fromEntries(headers));
    const other = new OpenAI({ apiKey: "none", webhookSecret: `whsec_${btoa("x".repeat(32))}` });
    await assert.rejects(other.webhooks.unwrap(body, Object.fromEntries(headers)), /signature/);
  });
});

Deno.test("a redaction that cannot be used hides everything, with fail_open too", async () => {
  let wanted = "guard.request";
  const say = ({ type, data }: Untyped): Reply => {
    if (type !== wanted) return allow();
    // The wrong type of body for each: an object for a text, a text for an object.
    const body = typeof data.body === "string" ? { text: "***" } : "***";
    return jsonReply({ action: "redact", body });
  };
  const args = ["--guard-answers", "true", "--guard-policy", "fail_open"];
  await withGuard(say, args, async ({ gateway, key, upstream }) => {
    for (wanted of ["guard.request", "guard.answer"]) {
      for (const stream of [false, true]) {
        const response = await gateway.chat(key, { ...HELLO, stream });
        const text = await response.text();
        assert.equal(response.status, 503, text);
        assert.equal(JSON.parse(text).error.code, "guard_unavailable");
        assert.doesNotMatch(text, /Paris|4111/);
      }
      assert.equal(upstream.requests.length, wanted === "guard.request" ? 0 : 2);
    }
  });
});
