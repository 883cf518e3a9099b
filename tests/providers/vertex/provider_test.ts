/**
 * A provider of kind `vertex`: tokens of a service account, and the addresses of Google's cloud.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createCompletionIds } from "../../../src/dialects/base/completion_ids.ts";
import type { Provider as ProviderSettings, Route } from "../../../src/domain/catalogue.ts";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { kindNamed } from "../../../src/providers/kinds.ts";
import type { Provider } from "../../../src/providers/contract/provider.ts";
import { serve, withConversions } from "../../../src/providers/serve.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { createVertex } from "../../../src/providers/vertex/provider.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { geminiReply, responseOf, THOUGHTS_STREAM } from "../../support/gemini_bodies.ts";
import { messageBody, messageEvents, messageReply } from "../../support/message_bodies.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  providerSettings,
  readAll,
} from "../../support/provider_parts.ts";
import { until } from "../../support/until.ts";
import { type ServiceAccount, serviceAccount } from "../../support/service_account.ts";

const PLACE = "/projects/shop-1/locations/europe-west4";
const MODEL = `/v1beta1${PLACE}/publishers/google/models/gemini-3.1-pro`;
const CLAUDE = `/v1${PLACE}/publishers/anthropic/models/claude-opus-4-5@20251101`;
const HI = jsonReply(responseOf([{ text: "Hi" }]));

interface Bench extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly clock: FakeClock;
  readonly provider: Provider;
  readonly account: ServiceAccount;
  /** Requests that are not for a token. */
  readonly asked: readonly RecordedRequest[];
  readonly tokens: readonly RecordedRequest[];
  /** What the cloud answers, and what its token service does. */
  reply: (request: RecordedRequest) => Reply;
  token: (count: number) => Reply;
}

async function bench(
  changes: Partial<ProviderSettings> = {},
  secret?: (file: string) => string,
): Promise<Bench> {
  const clock = new FakeClock();
  const asked: RecordedRequest[] = [];
  const tokens: RecordedRequest[] = [];
  const at = {
    reply: (_request: RecordedRequest) => HI as Reply,
    token: (count: number) => jsonReply({ access_token: `ya29.token-${count}`, expires_in: 3_599 }),
  };
  const upstream = await startFakeUpstream((request) => {
    if (request.target !== "/token") {
      asked.push(request);
      return at.reply(request);
    }
    tokens.push(request);
    return at.token(tokens.length);
  });
  const origin = upstream.url.replace(/\/v1$/, "");
  const account = serviceAccount(`${origin}/token`);
  const transport = createTransport({ clock });
  const provider = withConversions(
    createVertex(
      providerSettings({
        kind: "vertex",
        baseUrl: origin,
        apiKeys: [],
        own: { project: "shop-1", location: "europe-west4", credentials: "file:/g.json" },
        ...changes,
      }),
      {
        transport,
        clock,
        random: Math.random,
        secrets: () => secret === undefined ? account.file : secret(account.file),
      },
    ),
    { clock, ids: createCompletionIds(Math.random) },
  );
  return Object.assign(at, {
    upstream,
    clock,
    provider,
    account,
    asked,
    tokens,
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  });
}

const geminiRoute = (changes: Partial<Route> = {}) =>
  chatRoute(
    {
      ...changes,
      body: undefined,
      upstreamModel: changes.upstreamModel ?? "gemini-3.1-pro",
    } as never,
  );
const claudeRoute = () => chatRoute({ upstreamModel: "claude-opus-4-5@20251101" });
const chat = ({ provider }: Bench, body: JsonObject = {}, route = geminiRoute()) =>
  serve("openai_chat").answer(provider, chatCall(body, { route }), never());

Deno.test("a model of Google's is asked at its place, with a token of the account", async () => {
  await using at = await bench();
  await chat(at);
  const [{ target, headers }] = at.asked as [RecordedRequest];
  assert.equal(target, `${MODEL}:generateContent`);
  assert.equal(headers.get("authorization"), "Bearer ya29.token-1");
  const [{ body, headers: of }] = at.tokens as [RecordedRequest];
  const form = new URLSearchParams(body);
  assert.equal(of.get("content-type"), "application/x-www-form-urlencoded");
  assert.equal(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const { header, claims } = at.account.claimsOf(form.get("assertion")!);
  assert.deepEqual(header, { alg: "RS256", typ: "JWT", kid: "key-1" });
  const now = Math.floor(at.clock.now() / 1_000);
  assert.deepEqual(claims, {
    iss: at.account.email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: `${at.upstream.url.replace(/\/v1$/, "")}/token`,
    iat: now,
    exp: now + 3_600,
  });
});

Deno.test("a token serves all calls, many at once too, and the next is had five minutes before its end", async () => {
  await using at = await bench();
  await Promise.all([chat(at), chat(at), chat(at)]);
  assert.equal(at.tokens.length, 1);
  at.clock.advance((3_599 - 301) * 1_000);
  await chat(at);
  assert.equal(at.tokens.length, 1);
  at.clock.advance(2_000);
  await chat(at);
  // The old one serves meanwhile.
  assert.equal(at.asked.at(-1)!.headers.get("authorization"), "Bearer ya29.token-1");
  await until("the next token", async () => {
    await chat(at);
    return at.asked.at(-1)!.headers.get("authorization") !== "Bearer ya29.token-1";
  });
  assert.equal(at.tokens.length, 2);
  assert.equal(at.asked.at(-1)!.headers.get("authorization"), "Bearer ya29.token-2");
});

Deno.test("a token that is not taken is had anew", async () => {
  await using at = await bench();
  at.reply = () =>
    jsonReply({ error: { code: 401, status: "UNAUTHENTICATED", message: "Expired" } }, {
      status: 401,
    });
  assert.equal((await failureOf(chat(at))).failure, "operator");
  // Once for the call that met it, and no third time for the same.
  assert.deepEqual([at.tokens.length, at.asked.length], [2, 2]);
  at.reply = () => HI;
  await chat(at);
  assert.equal(at.tokens.length, 2);
});

/** What is wrong with the credentials, and what is said of it. */
const WRONG: readonly (readonly [string, (file: string) => string, RegExp])[] = [
  ["nothing", () => "", /have no value/],
  ["no JSON", () => "AIza-not-a-file", /no key file of a service account/],
  ["a user's file", () => '{"type":"authorized_user"}', /no key file of a service account/],
  [
    "a broken key",
    (file) =>
      JSON.stringify({
        ...JSON.parse(file),
        private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      }),
    /cannot be read/,
  ],
];
for (const [what, secret, message] of WRONG) {
  Deno.test(`credentials that are ${what} are the operator's fault, in words that show nothing of them`, async () => {
    await using at = await bench({}, secret);
    const error = await failureOf(chat(at));
    assert.deepEqual([error.failure, error.fault], ["operator", "key"]);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /AIza|BEGIN/);
    assert.equal(at.upstream.requests.length, 0);
  });
}

Deno.test("an account that Google refuses is told in its words, without the assertion", async () => {
  await using at = await bench();
  at.token = () =>
    jsonReply({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, {
      status: 400,
    });
  const error = await failureOf(chat(at));
  assert.deepEqual([error.failure, error.fault], ["operator", "key"]);
  assert.match(error.message, /Invalid JWT Signature/);
  at.token = () => jsonReply({}, { status: 503 });
  assert.equal((await failureOf(chat(at))).failure, "broken");
  at.token = () => jsonReply({ expires_in: 10 });
  assert.equal((await failureOf(chat(at))).failure, "broken");
});

Deno.test("calls go back without ids, which this address does not know", async () => {
  await using at = await bench();
  await chat(at, {
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "ok" },
    ],
  });
  const { contents } = at.asked[0]!.json();
  const parts = asArray(contents).flatMap((content) => asArray(asObject(content)!.parts));
  assert.deepEqual(parts.slice(1), [
    {
      functionCall: { name: "f", args: {} },
      thoughtSignature: "skip_thought_signature_validator",
    },
    { functionResponse: { name: "f", response: { output: "ok" } } },
  ]);
});

Deno.test("a stream is asked for, and read", async () => {
  await using at = await bench();
  at.reply = () => geminiReply(THOUGHTS_STREAM);
  const call = chatCall({ stream: true }, { route: geminiRoute() });
  const events = await readAll(await serve("openai_chat").stream(at.provider, call, never()));
  assert.equal(at.asked[0]!.target, `${MODEL}:streamGenerateContent?alt=sse`);
  assert.ok(events.at(-1)!.finished);
});

Deno.test("a model of Anthropic's is asked in its own dialect, for callers of every other", async () => {
  await using at = await bench();
  const content = [{ type: "text", text: "Hi" }];
  at.reply = ({ target }) =>
    target.endsWith("streamRawPredict")
      ? messageReply(messageEvents(content))
      : jsonReply(messageBody(content));
  const { body } = await chat(at, { max_tokens: 50 }, claudeRoute());
  assert.equal(asObject(asObject(asArray(body.choices)[0])!.message)!.content, "Hi");
  const call = {
    ...chatCall({ max_tokens: 50, thinking: { type: "adaptive" } }, { route: claudeRoute() }),
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": "one-2025, two-2026" },
  };
  const messages = serve("anthropic_messages");
  await messages.answer(at.provider, call, never());
  await readAll(
    await messages.stream(at.provider, { ...call, body: { ...call.body, stream: true } }, never()),
  );
  assert.deepEqual(at.asked.map(({ target }) => decodeURIComponent(target)), [
    `${CLAUDE}:rawPredict`,
    `${CLAUDE}:rawPredict`,
    `${CLAUDE}:streamRawPredict`,
  ]);
  const [, plain, streamed] = at.asked.map((request) => request.json()) as JsonObject[];
  assert.deepEqual(plain, {
    messages: [{ role: "user", content: "Hello" }],
    max_tokens: 50,
    thinking: { type: "adaptive" },
    anthropic_version: "vertex-2023-10-16",
    anthropic_beta: ["one-2025", "two-2026"],
  });
  assert.equal(streamed!.stream, true);
  assert.equal(at.asked[0]!.headers.get("anthropic-version"), undefined);
  assert.equal(at.asked[0]!.headers.get("authorization"), "Bearer ya29.token-1");
});

Deno.test("errors of Anthropic's models and of the cloud around them are both understood", async () => {
  await using at = await bench();
  const ask = () => chat(at, { max_tokens: 50 }, claudeRoute());
  at.reply = () =>
    jsonReply({
      type: "error",
      error: { type: "invalid_request_error", message: "max_tokens: too large" },
    }, { status: 400 });
  const own = await failureOf(ask());
  assert.deepEqual([own.failure, own.publicMessage], ["caller", "max_tokens: too large"]);
  at.reply = () =>
    jsonReply([{
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "Quota exceeded",
        details: [{ retryDelay: "12s" }],
      },
    }], { status: 429 });
  const googles = await failureOf(ask());
  assert.deepEqual([googles.failure, googles.retryAfterSeconds], ["busy", 12]);
});

Deno.test("what only Anthropic's models have goes to routes of theirs alone", () => {
  const kind = kindNamed("vertex")!;
  const settings = providerSettings({ kind: "vertex" });
  assert.deepEqual(kind.nativelyOf!(settings, claudeRoute()), ["anthropic_messages"]);
  assert.deepEqual(kind.nativelyOf!(settings, geminiRoute()), []);
});

Deno.test("embeddings are predictions, one text each with the newer models, counted as reported", async () => {
  await using at = await bench();
  at.reply = (request) =>
    jsonReply({
      predictions: asArray(request.json().instances).map(() => ({
        embeddings: { values: [3, 4], statistics: { token_count: 5, truncated: false } },
      })),
    });
  const ask = (upstreamModel: string) =>
    serve("openai_embeddings").answer(
      at.provider,
      {
        ...chatCall({}, { route: chatRoute({ upstreamModel }) }),
        body: { model: "m", input: ["a", "b", "c"], dimensions: 2 },
      },
      never(),
    );
  const { body, usage } = await ask("gemini-embedding-001");
  assert.equal(at.asked.length, 3);
  assert.deepEqual(at.asked[0]!.json(), {
    instances: [{ content: "a" }],
    parameters: { outputDimensionality: 2 },
  });
  assert.deepEqual(usage, { input: 15 });
  assert.deepEqual(asObject(asArray(body.data)[0])!.embedding, [0.6, 0.8]);
  await ask("text-embedding-005");
  assert.equal(at.asked.length, 4);
});

const ADDRESSES: readonly (readonly [string, string])[] = [
  ["global", "https://aiplatform.googleapis.com/v1beta1/"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com/v1beta1/"],
  ["us-central1", "https://us-central1-aiplatform.googleapis.com/v1beta1/"],
];
for (const [location, start] of ADDRESSES) {
  Deno.test(`the location ${location} has an address of its own`, async () => {
    const account = serviceAccount("https://tokens.example");
    const urls: string[] = [];
    const provider = createVertex(
      providerSettings({
        kind: "vertex",
        baseUrl: undefined,
        apiKeys: [],
        own: { project: "shop-1", location, credentials: "file:/g.json" },
      }),
      {
        clock: new FakeClock(),
        random: Math.random,
        secrets: () => account.file,
        transport: {
          request: (request) => {
            urls.push(request.url);
            if (request.url === "https://tokens.example") {
              return Promise.resolve(textResponse('{"access_token":"t","expires_in":100}'));
            }
            return Promise.resolve(textResponse(JSON.stringify(responseOf([{ text: "Hi" }]))));
          },
          close() {},
        },
      },
    );
    await provider.speaks.gemini!.answer(
      { ...chatCall({}, { route: geminiRoute() }), body: { contents: [] } },
      never(),
    );
    assert.ok(urls[1]!.startsWith(start), urls[1]);
  });
}

function textResponse(text: string) {
  return {
    status: 200,
    header: () => undefined,
    read: () => Promise.resolve(undefined),
    text: () => Promise.resolve(text),
    close() {},
    release() {},
  };
}
