/**
 * The operator's guard: what it is asked, what it may do, and what happens without it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OpenAI } from "openai7";
import { explainRoutes } from "../../src/admin/explain.ts";
import { rotateWebhookSecret } from "../../src/admin/accounts/webhook_secret.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { GuardSettings } from "../../src/config/process_settings.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";

const HELLO = { model: "m", route: "a/m", messages: [{ role: "user", content: "my card 4111" }] };

// deno-lint-ignore no-explicit-any -- events and answers, read as they come
type Untyped = any;

interface World {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  readonly guard: FakeUpstream;
  readonly key: string;
  /** Status and body. */
  ask(body?: object): Promise<readonly [status: number, body: Untyped]>;
}

/** `say` answers the guard's events. */
async function withGuard(
  say: (event: Untyped) => Reply,
  run: (world: World) => Promise<void>,
  settings: Partial<GuardSettings> & { readonly privateAddresses?: boolean } = {},
): Promise<void> {
  await using upstream = await startFakeUpstream((request): Reply =>
    JSON.parse(request.body).stream === true
      ? sseReply([chunk({ content: "Paris" }), finishChunk(), usageChunk(10, 5), "[DONE]"])
      : jsonReply(answerBody("Paris"))
  );
  await using guard = await startFakeUpstream(({ body }): Reply => say(JSON.parse(body)));
  const { privateAddresses = true, ...rest } = settings;
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
    guard: {
      url: `${guard.url}/look`,
      secret: undefined,
      answers: false,
      policy: "fail_closed",
      timeoutMs: 5_000,
      ...rest,
    },
    privateAddresses,
  });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  await run({
    ...{ gateway, upstream, guard, key },
    async ask(body) {
      const response = await gateway.chat({ ...HELLO, ...body }, { key });
      return [response.status, await response.json()];
    },
  });
}

const allow = () => jsonReply({ action: "allow" });

/** What a guard may answer that nothing can be done by. */
const UNUSABLE: readonly (readonly [name: string, reply: Reply])[] = [
  ["a number in place of a body", jsonReply({ action: "redact", body: 7 })],
  ["a list in place of a body", jsonReply({ action: "redact", body: ["my card ****"] })],
  ["no body", jsonReply({ action: "redact" })],
  [
    "a redaction larger than any",
    jsonReply({ action: "redact", body: "x".repeat(40 * 1024 ** 2) }),
  ],
  ["half a redaction", { steps: ['{"action":"redact","body":', "cut!"] }],
  ["another action", jsonReply({ action: "perhaps" })],
  ["a list", jsonReply(["allow"])],
  ["no JSON", { steps: ["<html>"] }],
  ["nothing", { steps: [] }],
  ["404", jsonReply({ action: "allow" }, { status: 404 })],
  ["that it is elsewhere", { status: 307, headers: { location: "/there" }, steps: [] }],
];

Deno.test("the guard is asked about a request before it is sent, signed as webhooks are", async () => {
  await withGuard(allow, async ({ ask, gateway, guard, upstream }) => {
    const { secret } = await runOperation(rotateWebhookSecret, {
      deps: gateway.admin,
      input: { project: "paying" },
    });
    const [status] = await ask({ tags: { team: "a" } });
    assert.equal(status, 200);
    assert.equal(upstream.requests.length, 1);
    assert.equal(guard.requests.length, 1);
    const { body, headers } = guard.requests[0]!;
    const client = new OpenAI({ apiKey: "none", webhookSecret: secret });
    const event = await client.webhooks.unwrap(body, Object.fromEntries(headers)) as Untyped;
    assert.equal(event.type, "guard.request");
    const { request_id, key: keyId, ...data } = event.data;
    assert.match(request_id, /^req_/);
    assert.match(keyId, /^key_/);
    assert.deepEqual(data, {
      project: "paying",
      path: "/chat/completions",
      model: "m",
      stream: false,
      body: { ...HELLO, tags: { team: "a" } },
    });
    assert.doesNotMatch(JSON.stringify([body, [...headers]]), /sk-tg-/, "no key leaves");
  });
});

Deno.test("a refused request is answered in its caller's dialect, and nothing is spent on it", async () => {
  const refuse = () => jsonReply({ action: "refuse", reason: "a card number" });
  await withGuard(refuse, async ({ ask, gateway, upstream, key }) => {
    const [status, { error }] = await ask();
    assert.deepEqual([status, error.code, error.type], [
      403,
      "refused_by_guard",
      "invalid_request_error",
    ]);
    assert.match(error.message, /guard refuses this request \(a card number\)$/);
    const message = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", max_tokens: 9, messages: HELLO.messages }),
    });
    assert.equal(message.status, 403);
    const told = await message.json();
    assert.deepEqual([told.type, told.error.type], ["error", "permission_error"]);
    assert.match(told.error.message, /a card number/);
    assert.equal(upstream.requests.length, 0);
    assert.deepEqual(gateway.admin.ledger.balanceOf("paying"), {
      projectId: "paying",
      avail: 1_000_000_000n,
      held: 0n,
    });
  });
});

Deno.test("a redacted request is what is sent, checked like any other", async () => {
  let messages: unknown = [{ role: "user", content: "my card ****" }];
  const redact = ({ data }: Untyped) =>
    jsonReply({ action: "redact", body: { ...data.body, messages } });
  await withGuard(redact, async ({ ask, upstream }) => {
    assert.equal((await ask())[0], 200);
    assert.match(upstream.requests[0]!.body, /my card \*\*\*\*/);
    assert.doesNotMatch(upstream.requests[0]!.body, /4111/);
    messages = "no list";
    const [status, { error }] = await ask();
    assert.deepEqual([status, error.param], [400, "messages"]);
    assert.equal(upstream.requests.length, 1);
  });
});

Deno.test("without its guard a request is refused, or allowed, as the policy says", async () => {
  const absent: readonly (() => Reply)[] = [
    () => jsonReply({ action: "allow" }, { status: 500 }),
    () => jsonReply({ action: "redact", body: 1 }, { status: 503 }),
    () => ({ steps: ["reset!"], framing: "raw" }),
    () => ({ steps: ["reset!"] }),
    () => ({ steps: ["cut!"] }),
  ];
  const wrong = [...absent, ...UNUSABLE.map(([, reply]) => () => reply)];
  let at = 0;
  await withGuard(() => wrong[at]!(), async ({ ask, upstream, gateway }) => {
    for (at = 0; at < wrong.length; at++) {
      const [status, { error }] = await ask();
      assert.deepEqual([status, error.code], [503, "guard_unavailable"], String(at));
    }
    assert.equal(upstream.requests.length, 0);
    await until("the log to tell of it", () => gateway.log().includes("guard_failed"));
    assert.match(gateway.log(), /"guard_failed".*answered 500/);
    assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 1_000_000_000n);
  });
  await withGuard(() => wrong[at]!(), async ({ ask, upstream }) => {
    for (at = 0; at < absent.length; at++) assert.equal((await ask())[0], 200, String(at));
    assert.equal(upstream.requests.length, absent.length);
  }, { policy: "fail_open" });
});

for (const [name, reply] of UNUSABLE) {
  Deno.test(`a guard that is there and says ${name} lets nothing pass, whatever the policy`, async () => {
    let isAboutAnswers = false;
    const say = ({ type }: Untyped) =>
      (type === "guard.answer") === isAboutAnswers ? reply : allow();
    await withGuard(say, async ({ gateway, upstream, key }) => {
      for (isAboutAnswers of [false, true]) {
        for (const stream of [false, true]) {
          const response = await gateway.chat({ ...HELLO, stream }, { key });
          const text = await response.text();
          assert.equal(response.status, 503, text);
          assert.equal(JSON.parse(text).error.code, "guard_unavailable");
          assert.match(text, /answer that cannot be used/);
          assert.doesNotMatch(text, /Paris|4111/);
        }
        assert.equal(upstream.requests.length, isAboutAnswers ? 2 : 0);
      }
      await until("the log to tell of it", () => gateway.log().includes("guard_failed"));
      assert.doesNotMatch(gateway.log(), /4111/);
    }, { policy: "fail_open", answers: true });
  });
}

Deno.test("who refuses has refused, whatever the reason is given as", async () => {
  for (const reason of [5, { code: "pii" }, ["pii"], null, true]) {
    const say = () => jsonReply({ action: "refuse", reason });
    await withGuard(say, async ({ ask, upstream }) => {
      const [status, { error }] = await ask();
      assert.deepEqual([status, error.code], [403, "refused_by_guard"], JSON.stringify(reason));
      assert.equal(upstream.requests.length, 0);
    }, { policy: "fail_open" });
  }
});

Deno.test("a guard that does not answer in its time, or that nobody may call, is no guard", async () => {
  const silent = (): Reply => ({ steps: ["stall!"] });
  await withGuard(silent, async ({ ask }) => {
    assert.equal((await ask())[1].error.code, "guard_unavailable");
  }, { timeoutMs: 50 });
  await withGuard(allow, async ({ ask, guard }) => {
    assert.equal((await ask())[1].error.code, "guard_unavailable");
    assert.equal(guard.requests.length, 0);
  }, { privateAddresses: false });
});

Deno.test("an answer is looked at before it is delivered: held back, it is charged and says so", async () => {
  const say = ({ type, data }: Untyped) =>
    jsonReply(
      type === "guard.answer" && /Paris/.test(JSON.stringify(data.body))
        ? { action: "refuse", reason: "a town" }
        : { action: "allow" },
    );
  await withGuard(say, async ({ ask, gateway, guard, key }) => {
    const before = gateway.admin.ledger.balanceOf("paying").avail;
    const [status, { error }] = await ask();
    assert.deepEqual([status, error.code], [403, "refused_by_guard"]);
    assert.match(error.message, /holds this answer back \(a town\): it was made, and is charged/);
    assert.doesNotMatch(error.message, /Paris/);
    assert.equal(before - gateway.admin.ledger.balanceOf("paying").avail, 4_000n);
    const [, requestId] = /GET \/v1\/calls\/(req_\w+)/.exec(error.message)!;
    const call = await fetch(`${gateway.url}/v1/calls/${requestId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal((await call.json()).pricing.charged_amount, "0.00004000");
    assert.deepEqual(guard.requests.map(({ body }) => JSON.parse(body).type), [
      "guard.request",
      "guard.answer",
    ]);
    const streamed = await gateway.chat({ ...HELLO, stream: true }, { key });
    assert.equal(streamed.status, 403);
    assert.doesNotMatch(await streamed.text(), /Paris/);
  }, { answers: true });
});

Deno.test("an answer is delivered as the guard has redacted it, a stream in one piece", async () => {
  const say = ({ type, data }: Untyped) => {
    if (type === "guard.request") return jsonReply({ action: "allow" });
    const text = JSON.stringify(data.body).replaceAll("Paris", "a town");
    return jsonReply({ action: "redact", body: JSON.parse(text) });
  };
  await withGuard(say, async ({ ask, gateway, key }) => {
    const [status, body] = await ask();
    assert.equal(status, 200);
    assert.equal(body.choices[0].message.content, "a town");
    assert.equal(body.pricing.sale_amount, "0.00004000");
    const streamed = await gateway.chat({ ...HELLO, stream: true }, { key });
    assert.equal(streamed.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const text = await streamed.text();
    assert.match(text, /"content":"a town"/);
    assert.match(text, /data: \[DONE\]\n\n$/);
    assert.doesNotMatch(text, /Paris/);
  }, { answers: true });
});

const REDACTING = ({ type, data }: Untyped) => {
  if (type === "guard.request") return jsonReply({ action: "allow" });
  const text = JSON.stringify(data.body).replaceAll("Paris", "a town");
  return jsonReply({ action: "redact", body: JSON.parse(text) });
};

Deno.test("an answer that is kept is read as the guard lets it be delivered", async () => {
  await withGuard(REDACTING, async ({ gateway: { url }, key }) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const made = await fetch(`${url}/v1/responses`, {
      ...{ method: "POST", headers },
      body: JSON.stringify({ model: "m", input: "Hello" }),
    });
    const first = await made.text();
    assert.match(first, /a town/);
    const read = await fetch(`${url}/v1/responses/${JSON.parse(first).id}`, { headers });
    const again = await read.text();
    assert.equal(read.status, 200, again);
    assert.match(again, /a town/);
    assert.doesNotMatch(again, /Paris/);
  }, { answers: true });
});

Deno.test("an explanation names the guard", async () => {
  await withGuard(allow, async ({ gateway, guard }) => {
    const { notes } = await runOperation(explainRoutes, {
      deps: gateway.admin,
      input: { model: "m" },
    });
    assert.ok(
      notes.includes(
        `the guard at ${
          new URL(guard.url).host
        } is asked about each request first, and may refuse it`,
      ),
      String(notes),
    );
  });
});
