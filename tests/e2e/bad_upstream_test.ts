/**
 * Whatever an upstream answers, its caller gets an answer in OpenAI's shape,
 * pays only for what it can use, and learns nothing of the upstream.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../fixtures/openai/chat_schemas.json" with { type: "json" };
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { assertSatisfies } from "../support/schema_check.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { assertErrorBody, assertTellsNothing } from "./bad_input/answer_checks.ts";
import { BAD_MESSAGES } from "./bad_upstream/anthropic_cases.ts";
import { BAD_CONVERSE_ANSWERS } from "./bad_upstream/bedrock_converse_cases.ts";
import { BAD_GEMINI_ANSWERS } from "./bad_upstream/gemini_cases.ts";
import { BAD_ANSWERS, type BadAnswer, UPSTREAM_KEY } from "./bad_upstream/upstream_cases.ts";

const PROMPT = "a prompt that nobody may log";

/** A kind of upstream, and how it answers wrongly. */
interface Kind {
  readonly name: string;
  readonly cases: readonly BadAnswer[];
  /** What its provider has to say besides. */
  readonly settings?: string;
  modelOf(request: RecordedRequest): string;
}

const CHAT: Kind = {
  name: "openai_compatible",
  cases: BAD_ANSWERS,
  modelOf: (request) => String(request.json().model),
};
const MESSAGES: Kind = {
  name: "anthropic",
  cases: BAD_MESSAGES,
  modelOf: (request) => String(request.json().model),
};
const GEMINI: Kind = {
  name: "gemini",
  cases: BAD_GEMINI_ANSWERS,
  modelOf: ({ target }) => /models\/([^:]+):/.exec(target)![1]!,
};
const CONVERSE: Kind = {
  name: "bedrock",
  settings: ", aws_region: us-east-1",
  cases: BAD_CONVERSE_ANSWERS,
  modelOf: ({ target }) => /\/model\/([^/]+)\/converse/.exec(target)![1]!,
};

function catalogue({ name, cases, settings = "" }: Kind, url: string): string {
  const models = cases.map(({ id }) => `
  - id: ${id}
    kind: chat
    routes:
      - id: remote/${id}
        provider: remote
        upstream_model: ${id}
        supports: { context_tokens: 100000 }
        sale: { input: "2", output: "4" }`);
  return `
providers:
  - { id: remote, kind: ${name}, base_url: "${url}", api_key: env:UPSTREAM_KEY${settings} }
models:${models.join("")}
projects:
  - { id: paying, unlimited: false }
`;
}

/** Upstreams are called by connections of our own, or by the runtime where a proxy may apply. */
const WAYS = [
  { name: "own connections", env: {} },
  {
    name: "the runtime's client",
    env: { HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" },
  },
] as const;

for (const { name, env } of WAYS) {
  Deno.test(`wrong answers over ${name} cost nothing that cannot be used, and tell nothing`, (test) =>
    answerWrongly(test, CHAT, env));
}

Deno.test("wrong answers of Anthropic's dialect cost nothing that cannot be used, and tell nothing", (test) =>
  answerWrongly(test, MESSAGES, {}));

Deno.test("wrong answers of Google's dialect cost nothing that cannot be used, and tell nothing", (test) =>
  answerWrongly(test, GEMINI, {}));

Deno.test("wrong answers of Converse cost nothing that cannot be used, and tell nothing", (test) =>
  answerWrongly(test, CONVERSE, {}));

async function answerWrongly(
  test: Deno.TestContext,
  kind: Kind,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await using trap = await startFakeUpstream(jsonReply({}));
  const replies = new Map(kind.cases.map(({ id, reply }) => [id, reply]));
  await using upstream = await startFakeUpstream((request) =>
    withTrap(replies.get(kind.modelOf(request))!, trap.url)
  );
  await using gateway = await serveGateway({
    catalogue: catalogue(kind, upstream.url),
    env: { UPSTREAM_KEY, ...env },
  });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const hidden = { key, port: upstream.port, upstreamKey: UPSTREAM_KEY };

  async function balance(): Promise<string> {
    const { project } = await gateway.get("/v1/key", key);
    assert.equal(project.held, "0.00000000");
    return project.balance;
  }

  for (const bad of kind.cases) {
    await test.step(`${bad.stream ? "streamed" : "plain"}: ${bad.name}`, async () => {
      const before = await balance();
      const response = await gateway.chat(key, {
        model: bad.id,
        messages: [{ role: "user", content: PROMPT }],
        stream: bad.stream,
      });
      const text = await response.text();
      const requestId = response.headers.get("x-request-id") ?? "";
      assert.match(requestId, /^req_/);
      assertTellsNothing(text, hidden);
      assertTellsNothing(JSON.stringify([...response.headers]), hidden);
      assert.doesNotMatch(JSON.stringify([...response.headers]), /secret|cookie/);
      const call = await gateway.get(`/v1/calls/${requestId}`, key);
      const paid = call.pricing.charged_amount;
      assert.equal(difference(before, await balance()), paid);

      const { outcome } = bad;
      const isServed = typeof outcome === "object" && "text" in outcome;
      assert.equal(call.state, isServed ? "settled" : "released");
      if (outcome === "unavailable") {
        assertErrorBody({ status: response.status, body: text }, {
          status: 503,
          code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
          param: null,
        });
        assert.match(response.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
        assert.equal(call.result, "upstream_failed");
        assert.equal(paid, "0.00000000");
      } else if ("status" in outcome) {
        const { error } = JSON.parse(text);
        assert.deepEqual([response.status, error.code], [outcome.status, outcome.code]);
        assert.equal(error.type, "invalid_request_error");
        assert.equal(call.result, "refused");
        assert.equal(paid, "0.00000000");
      } else if ("cutAfter" in outcome) {
        const { written, errors, isDone } = readStream(text);
        assert.equal(response.status, 200);
        assert.equal(written, outcome.cutAfter);
        assert.deepEqual([errors.length, isDone], [1, false]);
        assert.deepEqual(Object.keys(errors[0]!), ["message", "type", "param", "code"]);
        assert.equal(errors[0]!.code, "upstream_error");
        assert.equal(call.result, "upstream_failed");
        assert.equal(paid, "0.00000000");
      } else {
        assert.equal(response.status, 200, text);
        assert.equal(bad.stream ? streamedText(text) : plainText(text), outcome.text);
        assert.equal(call.usage_source, outcome.usage);
        assert.ok(call.usage.prompt_tokens > 0 && call.usage.completion_tokens > 0);
        assert.ok(call.usage.total_tokens < 100);
        assert.notEqual(paid, "0.00000000");
      }
      const health = await fetch(`${gateway.url}/healthz`);
      assert.equal((await health.json()).status, "ok");
    });
  }

  assert.equal(trap.connections, 0, "a redirect was followed");
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await gateway.server.stop();
  assert.equal(code, 0);
  // The operator may read in the log to which address of theirs a connection failed, and no more.
  // A request's line also tells the caller's own address, which is the same here.
  const log = stderr.replaceAll(/,"cause":"(?:[^"\\]|\\.)*"/g, "")
    .replaceAll(/,"address":"127\.0\.0\.1"/g, "");
  for (const secret of [`:${upstream.port}`, "127.0.0.1"]) {
    assert.equal(log.includes(secret), false);
  }
  for (const secret of [key, UPSTREAM_KEY, PROMPT, "nginx", "SSH-2.0", "set-cookie"]) {
    assert.equal(stderr.includes(secret), false, `the log has ${secret}`);
  }
  assert.doesNotMatch(log, /^\s+at |\.ts:\d|internal_error|TypeError/m);
}

function withTrap(reply: Reply, trapUrl: string): Reply {
  const { location } = reply.headers ?? {};
  if (location === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, location: location.replace("{trap}", trapUrl) } };
}

function plainText(text: string): string {
  const answer = JSON.parse(text);
  assertSatisfies(schemas, "CreateChatCompletionResponse", answer);
  return answer.choices[0].message.content;
}

function streamedText(text: string): string {
  const { written, errors, isDone } = readStream(text);
  assert.deepEqual([errors.length, isDone], [0, true]);
  return written;
}

/** What a stream's frames hold. */
function readStream(text: string) {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "))
    .map((frame) => frame.slice("data: ".length));
  const isDone = frames.at(-1) === "[DONE]";
  const values = frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame));
  const chunks = values.filter((value) => !("error" in value));
  for (const one of chunks) assertSatisfies(schemas, "CreateChatCompletionStreamResponse", one);
  return {
    written: chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
    errors: values.filter((value) => "error" in value).map(({ error }) => error),
    isDone,
  };
}

/** Two amounts' difference. */
function difference(before: string, after: string): string {
  const units = (amount: string) => BigInt(amount.replace(".", ""));
  const digits = (units(before) - units(after)).toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
