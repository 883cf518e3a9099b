/**
 * A provider of kind `anthropic`: what it asks of its upstream, and what it makes of refusals.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Provider as ProviderSettings } from "../../../src/domain/catalogue.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { UpstreamError } from "../../../src/domain/upstream_error.ts";
import type { ProviderCall } from "../../../src/providers/contract/provider.ts";
import { createAnthropic } from "../../../src/providers/anthropic/provider.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { messageBody } from "../../support/message_bodies.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  providerSettings,
} from "../../support/provider_parts.ts";

const KEY = "sk-ant-key-0123456789";
const ANSWER = jsonReply(messageBody([{ type: "text", text: "Hi" }]));

interface Bench extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly provider: ReturnType<typeof createAnthropic>;
  /** The failure of a call that is refused so. */
  refusal(status: number, body: unknown, headers?: Record<string, string>): Promise<UpstreamError>;
  /** What the upstream is sent for a call. */
  sent(call: ProviderCall): Promise<JsonObject>;
}

async function bench(settings: Partial<ProviderSettings> = {}, path = ""): Promise<Bench> {
  const clock = systemClock;
  const upstream = await startFakeUpstream(ANSWER);
  const transport = createTransport({ clock });
  const provider = createAnthropic(
    providerSettings({
      kind: "anthropic",
      baseUrl: upstream.url.replace(/\/v1$/, path),
      auth: { kind: "header", name: "x-api-key" },
      ...settings,
    }),
    { transport, clock, random: Math.random, secrets: () => KEY },
  );
  const ask = (call: ProviderCall) => provider.speaks.anthropic_messages.answer(call, never());
  return {
    upstream,
    provider,
    async refusal(status, body, headers = {}) {
      upstream.answer(jsonReply(body, { status, headers }));
      return await failureOf(ask(chatCall()));
    },
    async sent(call) {
      upstream.answer(ANSWER);
      await ask(call);
      return upstream.requests.at(-1)!.json();
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  };
}

const error = (type: string, message: string, details?: object) => ({
  type: "error",
  error: { type, message, ...(details && { details }) },
});

const REFUSALS: readonly (readonly [
  status: number,
  body: object,
  failure: string,
  fault?: string,
])[] = [
  [400, error("invalid_request_error", "max_tokens: too large"), "caller"],
  [
    400,
    error("invalid_request_error", "Your credit balance is too low to access the API"),
    "operator",
    "account",
  ],
  [
    400,
    error("invalid_request_error", "You have reached your specified workspace API usage limits."),
    "operator",
    "account",
  ],
  [401, error("authentication_error", "invalid x-api-key"), "operator", "key"],
  [402, error("billing_error", "pay"), "operator", "account"],
  [404, error("not_found_error", "model: claude-none"), "operator", "model"],
  [413, error("request_too_large", "Request exceeds the maximum size"), "caller"],
  // A limit that passes says when.
  [
    429,
    error("rate_limit_error", "This request would exceed your rate limit"),
    "operator",
    "account",
  ],
  [429, error("rate_limit_error", "Slow", { error_code: "ramp_limit_exceeded" }), "busy"],
  [
    429,
    error("rate_limit_error", "Spent", { error_code: "enforced_spend_limit_reached" }),
    "operator",
    "account",
  ],
  [500, error("api_error", "Internal server error"), "broken"],
  [504, error("timeout_error", "Timed out"), "broken"],
  [529, error("overloaded_error", "Overloaded"), "busy"],
];

Deno.test("refusals are judged by whose fault they are", async () => {
  await using on = await bench();
  for (const [status, body, failure, fault] of REFUSALS) {
    const found = await on.refusal(status, body);
    assert.deepEqual([found.failure, found.fault, found.status], [failure, fault, status]);
  }
});

Deno.test("only a refusal that is the caller's own is for the caller as it came", async () => {
  await using on = await bench();
  for (const [status, body, failure] of REFUSALS) {
    const { verbatim } = await on.refusal(status, body);
    const text = failure === "caller" ? JSON.stringify(body) : undefined;
    assert.equal(verbatim?.text, text);
  }
  const leaking = await on.refusal(400, error("invalid_request_error", `no: ${KEY}`));
  assert.equal(leaking.verbatim, undefined);
  assert.ok(!leaking.publicMessage!.includes(KEY));
  assert.equal((await on.refusal(400, { page: "of a proxy" })).verbatim, undefined);
});

Deno.test("the API is found whether its address names a version or not", async () => {
  for (const [path, target] of [["", "/v1"], ["/v1", "/v1"], ["/anthropic", "/anthropic/v1"]]) {
    await using on = await bench({}, path);
    await on.sent(chatCall());
    assert.equal(on.upstream.requests.at(-1)!.target, `${target}/messages`);
  }
});

Deno.test("check() asks for the model list with the key and the version", async () => {
  await using on = await bench({ own: { anthropic_version: "2026-10-21" } });
  on.upstream.answer(jsonReply({ data: [{ type: "model", id: "claude-1" }], has_more: true }));
  const { ok, checked, detail } = await on.provider.check(never());
  assert.deepEqual({ ok, checked, detail }, {
    ok: true,
    checked: true,
    detail: "has a model list",
  });
  const { target, headers } = on.upstream.requests.at(-1)!;
  assert.equal(target, "/v1/models?limit=1");
  assert.deepEqual(
    [headers.get("x-api-key"), headers.get("anthropic-version")],
    [KEY, "2026-10-21"],
  );
  on.upstream.answer(
    jsonReply(error("authentication_error", "invalid x-api-key"), { status: 401 }),
  );
  const refused = await on.provider.check(never());
  assert.equal(refused.ok, false);
  assert.match(refused.detail, /env:ACME_KEY/);
});

Deno.test("a caller's own version goes before the provider's, its betas beside them", async () => {
  await using on = await bench({ headers: { "Anthropic-Beta": "z-2026-01-01" } });
  const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "a-2026-01-01" };
  await on.sent({ ...chatCall(), headers });
  const sent = on.upstream.requests.at(-1)!.headers;
  assert.equal(sent.get("anthropic-version"), "2026-10-21");
  assert.equal(sent.get("anthropic-beta"), "z-2026-01-01,a-2026-01-01");
  await on.sent(chatCall());
  assert.equal(on.upstream.requests.at(-1)!.headers.get("anthropic-beta"), "z-2026-01-01");
});

Deno.test("a body is the caller's, but for the model, the limit and the route's rules", async () => {
  await using on = await bench();
  const asked = { max_tokens: 100, field_of_tomorrow: { a: 1 }, top_k: 5 };
  assert.deepEqual(await on.sent(chatCall(asked)), {
    ...chatCall(asked).body,
    model: "upstream-model",
  });
  const route = chatRoute({ body: { set: { service_tier: "auto" }, drop: ["top_k"] } });
  const ruled = await on.sent(chatCall(asked, { route, outputTokensCap: 64 }));
  assert.deepEqual([ruled.service_tier, ruled.top_k, ruled.max_tokens], ["auto", undefined, 64]);
  // 0 is a wish of its own, and a limit has to be said.
  const filling = await on.sent(chatCall({ max_tokens: 0 }, { outputTokensCap: 64 }));
  assert.equal(filling.max_tokens, 0);
  assert.equal((await on.sent(chatCall())).max_tokens, 128_000);
  const small = chatRoute({ supports: { maxOutputTokens: 32_000 } });
  assert.equal((await on.sent(chatCall({}, { route: small }))).max_tokens, 32_000);
});

Deno.test("thoughts that another upstream had are not shown to this one", async () => {
  await using on = await bench();
  const own = { type: "thinking", thinking: "Hm", signature: "EsEC" };
  const other = { type: "thinking", thinking: "Hm", signature: "tg1.thoughts" };
  const text = { type: "text", text: "Hi" };
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: [other, own, text] },
    { role: "assistant", content: [other] },
    { role: "user", content: [text] },
  ];
  const { messages: sent } = await on.sent(chatCall({ messages }));
  assert.deepEqual(sent, [
    messages[0],
    { role: "assistant", content: [own, text] },
    messages[3],
  ]);
});

Deno.test("an answer that is no message is none", async () => {
  await using on = await bench();
  for (const body of [{}, { type: "message" }, { content: ["text"] }, error("api_error", "no")]) {
    assert.equal((await on.refusal(200, body)).failure, "broken");
  }
});
