/**
 * `x-ratelimit-*`: true, in OpenAI's format, and only where a limit is set.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Caller } from "../../../src/accounts/key_directory.ts";
import { formatDuration, OPENAI } from "../../../src/dialects/openai/family.ts";
import type { Limits } from "../../../src/domain/catalogue.ts";
import { hasRateLimits, rateLimitHeaders } from "../../../src/http/callers/rate_limit_headers.ts";
import { Limiter } from "../../../src/limits/limiter.ts";
import { sampleKey, sampleProject } from "../../conformance/storage_samples.ts";
import { admit } from "../../support/admit.ts";
import { ANTHROPIC } from "../../../src/dialects/anthropic_messages/family.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { startTestGateway } from "../../support/gateway.ts";

function caller(project: Limits, key: Limits): Caller {
  return { project: sampleProject({ limits: project }), key: sampleKey({ limits: key }) };
}

Deno.test("formatDuration() writes times as OpenAI does", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0s"],
    [1, "1ms"],
    [20, "20ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [59_400, "59.4s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [86_400, "1m26.4s"],
    [360_000, "6m0s"],
  ];
  for (const [milliseconds, text] of cases) assert.equal(formatDuration(milliseconds), text);
});

Deno.test("rateLimitHeaders() tells the tighter of project and key, and when it is whole again", () => {
  const clock = new FakeClock();
  const limiter = new Limiter({ clock });
  const who = caller(
    { requestsPerMinute: 100, tokensPerMinute: 1_000 },
    { requestsPerMinute: 10, tokensPerMinute: 5_000 },
  );
  const subjects = [
    { scope: "project", id: "acme", limits: who.project.limits },
    { scope: "key", id: "key_1", limits: who.key.limits },
  ] as const;
  assert.equal(admit(limiter, subjects, 400).kind, "permit");
  clock.advance(12_345);
  assert.deepEqual(rateLimitHeaders(limiter, { caller: who, family: OPENAI, now: 0 }), {
    "x-ratelimit-limit-requests": "10",
    "x-ratelimit-remaining-requests": "9",
    "x-ratelimit-reset-requests": "47.655s",
    "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "600",
    "x-ratelimit-reset-tokens": "47.655s",
  });
  const now = Date.UTC(2026, 10, 22, 12);
  const told = rateLimitHeaders(limiter, { caller: who, family: ANTHROPIC, now });
  assert.deepEqual(told, {
    "anthropic-ratelimit-requests-limit": "10",
    "anthropic-ratelimit-requests-remaining": "9",
    "anthropic-ratelimit-requests-reset": "2026-11-22T12:00:48Z",
    "anthropic-ratelimit-tokens-limit": "1000",
    "anthropic-ratelimit-tokens-remaining": "600",
    "anthropic-ratelimit-tokens-reset": "2026-11-22T12:00:48Z",
  });
  clock.advance(47_655);
  assert.equal(
    rateLimitHeaders(limiter, { caller: who, family: OPENAI, now: 0 })["x-ratelimit-reset-tokens"],
    "0s",
  );
  assert.deepEqual(
    rateLimitHeaders(limiter, {
      caller: caller({}, { requestsPerMinute: 7 }),
      family: OPENAI,
      now: 0,
    }),
    {
      "x-ratelimit-limit-requests": "7",
      "x-ratelimit-remaining-requests": "7",
      "x-ratelimit-reset-requests": "0s",
    },
  );
});

Deno.test("hasRateLimits() leaves those alone that have no limit per minute", () => {
  assert.equal(hasRateLimits(caller({}, {})), false);
  assert.equal(hasRateLimits(caller({ concurrent: 1 }, { openVideoTasks: 1 })), false);
  assert.equal(hasRateLimits(caller({ tokensPerMinute: 1 }, {})), true);
  assert.equal(hasRateLimits(caller({}, { requestsPerMinute: 1 })), true);
});

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - { id: echo-1, kind: chat, routes: [{ id: b/e, provider: builtin, sale: { free: true } }] }
  - { id: hash-embed-1, kind: embedding, routes: [{ id: b/h, provider: builtin, sale: { free: true } }] }
  - { id: video-2, kind: video, routes: [{ id: b/v, provider: builtin, sale: { free: true } }] }
projects:
  - { id: default, unlimited: true }
  - id: limited
    unlimited: true
    limits: { requests_per_minute: 6, tokens_per_minute: 50000, open_video_tasks: 5 }
`;

const messages = [{ role: "user", content: "Hi" }];

/** One of each kind of model call. */
const CALLS: readonly (readonly [path: string, body: object])[] = [
  ["/chat/completions", { model: "echo-1", messages, max_tokens: 50 }],
  ["/chat/completions", { model: "echo-1", messages, max_tokens: 50, stream: true }],
  ["/responses", { model: "echo-1", input: "Hi", max_output_tokens: 50 }],
  ["/embeddings", { model: "hash-embed-1", input: "Hi" }],
  ["/videos", { model: "video-2", prompt: "x", size: "640x360", seconds: "1" }],
];

Deno.test("every answer to a model call tells what is left, refused ones too, others do not", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const limited = await gateway.key("limited");
  const post = (path: string, body: object, key: string, prefix = "/v1") =>
    fetch(gateway.url + prefix + path, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const limits = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-ratelimit-")));
  let remaining = 6;
  for (const [path, body] of CALLS) {
    const response = await post(path, body, limited);
    assert.equal(response.status, 200, path + await response.text());
    const told = limits(response);
    assert.equal(told["x-ratelimit-limit-requests"], "6", path);
    assert.equal(told["x-ratelimit-remaining-requests"], String(--remaining), path);
    assert.match(told["x-ratelimit-reset-requests"]!, /^(\d+(\.\d+)?s|1m0s)$/, path);
    assert.equal(told["x-ratelimit-limit-tokens"], "50000", path);
    assert.match(told["x-ratelimit-remaining-tokens"]!, /^4\d{4}$/, path);
    assert.equal(Object.keys(told).length, 6, path);
  }
  // What is no call leaves the counts alone, and tells of them all the same.
  const bad = await post("/chat/completions", { model: "nothing", messages }, limited);
  assert.deepEqual([bad.status, limits(bad)["x-ratelimit-remaining-requests"]], [404, "1"]);
  const greedy = { model: "echo-1", messages, max_tokens: 60_000 };
  const tooLarge = await post("/chat/completions", greedy, limited, "/api/gateway/v1");
  assert.equal(tooLarge.status, 429);
  assert.equal(tooLarge.headers.get("x-should-retry"), "false");
  assert.match((await tooLarge.json()).error.message, /^This request alone may take 60\d+ tokens/);
  await (await post(...CALLS[0]!, limited)).text();
  for (const [path, body] of CALLS) {
    const refused = await post(path, body, limited);
    assert.equal(refused.status, 429, path);
    assert.equal((await refused.json()).error.code, "POOL_LIMIT_EXCEEDED");
    assert.equal(limits(refused)["x-ratelimit-remaining-requests"], "0", path);
    const retryAfter = Number(refused.headers.get("retry-after"));
    assert.ok(retryAfter >= 1 && retryAfter <= 60, path);
  }
  const free = await gateway.key("default");
  for (const [path, body] of CALLS) {
    const response = await post(path, body, free);
    await response.text();
    assert.deepEqual(limits(response), {}, path);
  }
  const models = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${limited}` },
  });
  await models.text();
  assert.deepEqual(limits(models), {});
});
