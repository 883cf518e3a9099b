/**
 * Answers that equal requests of a project get again: what is equal, what it costs, and who gets none.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const HELLO = { model: "m", route: "a/m", messages: [{ role: "user", content: "Hello" }] };
const FREE = { currency: "USD", cost_amount: "0.00000000", sale_amount: "0.00000000" };

interface World {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  readonly dataDir: string;
  ask(body: object, options?: { key?: string; headers?: Record<string, string> }): Promise<Told>;
}

/** An answer with what its headers say of the cache. */
interface Told {
  readonly status: number;
  readonly cache: string | null;
  readonly first: string | null;
  readonly id: string;
  readonly text: string;
}

async function withWorld(run: (world: World) => Promise<void>, quotas?: object): Promise<void> {
  let count = 0;
  await using upstream = await startFakeUpstream((request): Reply => {
    const { stream, messages } = JSON.parse(request.body);
    if (messages?.[0]?.content === "fail") {
      return jsonReply({ error: { message: "no" } }, { status: 400 });
    }
    const text = `Answer ${++count}`;
    return stream === true
      ? sseReply([chunk({ content: text }), finishChunk(), usageChunk(10, 5), "[DONE]"])
      : jsonReply(answerBody(text));
  });
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-cache-" });
  try {
    await using gateway = await startTestGateway({
      catalogue: twoRoutes(upstream.url, upstream.url),
      dataDir,
    });
    for (const id of quotas === undefined ? [] : ["default", "paying"]) {
      await runOperation(setProject, { deps: gateway.admin, input: { project: id, quotas } });
    }
    await run({ gateway, upstream, dataDir, ask: (body, options) => told(gateway, body, options) });
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

async function told(
  gateway: TestGateway,
  body: object,
  options?: { key?: string; headers?: Record<string, string> },
): Promise<Told> {
  const response = await gateway.chat({ ...HELLO, ...body }, options);
  return {
    status: response.status,
    cache: response.headers.get("x-tollgate-cache"),
    first: response.headers.get("x-tollgate-first-request-id"),
    id: response.headers.get("x-request-id")!,
    text: await response.text(),
  };
}

Deno.test("without a time for it every request is a call", async () => {
  await withWorld(async ({ ask, upstream }) => {
    assert.equal((await ask({})).cache, null);
    assert.equal((await ask({})).cache, null);
    assert.equal(upstream.requests.length, 2);
  });
});

Deno.test("an equal request gets the same answer free of charge, and is written down apart", async () => {
  await withWorld(async ({ ask, upstream, gateway }) => {
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    const first = await ask({ usage: { include: true } }, { key });
    const { avail } = gateway.admin.ledger.balanceOf("paying");
    const again = await ask({ tags: { team: "a" }, usage: { include: true } }, { key });
    assert.deepEqual([first.cache, again.cache], ["miss", "hit"]);
    assert.equal(again.first, first.id);
    assert.notEqual(again.id, first.id);
    const [one, other] = [first, again].map(({ text }) => JSON.parse(text));
    assert.equal(one.pricing.sale_amount, "0.00004000");
    assert.deepEqual(other.pricing, FREE);
    assert.equal(other.usage.cost, 0);
    assert.deepEqual(
      { ...other, pricing: one.pricing, usage: one.usage },
      one,
      "otherwise word for word",
    );
    assert.equal(other.usage.total_tokens, one.usage.total_tokens);
    assert.equal(upstream.requests.length, 1);
    await gateway.admin.commits.flush();
    assert.equal(gateway.admin.ledger.balanceOf("paying").avail, avail);
    const called = await fetch(`${gateway.url}/v1/calls/${again.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const call = await called.json();
    assert.deepEqual(
      [call.provider, call.route, call.result, call.attempts, call.tags],
      ["(cache)", "(cache)", "completed", 0, { team: "a" }],
    );
    assert.equal(call.pricing.charged_amount, "0.00000000");
    const { data } = await runOperation(reportUsage, {
      deps: gateway.admin,
      input: { by: "provider" },
    });
    assert.deepEqual(data.map(({ provider, calls, sale }) => [provider, calls, sale]), [
      ["(cache)", 1, "0.00000000"],
      ["a", 1, "0.00004000"],
    ]);
    const { differences } = await runOperation(verifyLedger, { deps: gateway.admin, input: {} });
    assert.deepEqual(differences, []);
  }, { cache_seconds: 60 });
});

Deno.test("an answer is given again when a budget is reached and nothing is left, as nothing is spent", async () => {
  await withWorld(async ({ ask, gateway, upstream }) => {
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    assert.equal((await ask({}, { key })).cache, "miss");
    const input = { project: "paying", budgets: { daily: "0.00000001" } };
    await runOperation(setProject, { deps: gateway.admin, input });
    assert.equal((await ask({ temperature: 1 }, { key })).status, 402, "what would be a call");
    const again = await ask({}, { key });
    assert.deepEqual([again.status, again.cache], [200, "hit"]);
    assert.equal(upstream.requests.length, 1);
    const { differences } = await runOperation(verifyLedger, { deps: gateway.admin, input: {} });
    assert.deepEqual(differences, []);
  }, { cache_seconds: 60 });
});

Deno.test("what is equal: the fields in any order; not the path, the project or any value", async () => {
  await withWorld(async ({ ask, upstream, gateway }) => {
    await gateway.credit("paying", "10");
    assert.equal((await ask({ seed: 1, top_p: 0.5 })).cache, "miss");
    assert.equal((await ask({ top_p: 0.5, seed: 1 })).cache, "hit");
    assert.equal((await ask({ seed: 2, top_p: 0.5 })).cache, "miss");
    assert.equal((await ask({ seed: 1, top_p: 0.5, provider: { order: ["a"] } })).cache, "miss");
    const key = await gateway.key("paying");
    assert.equal((await ask({ seed: 1, top_p: 0.5 }, { key })).cache, "miss");
    assert.equal(upstream.requests.length, 4);
  }, { cache_seconds: 60 });
});

Deno.test("a stream is given again as the stream that it was", async () => {
  await withWorld(async ({ ask, upstream }) => {
    const body = { stream: true, stream_options: { include_usage: true } };
    const first = await ask(body);
    const again = await ask(body);
    assert.deepEqual([first.cache, again.cache], ["miss", "hit"]);
    assert.match(first.text, /0\.00004000/);
    assert.doesNotMatch(again.text, /0\.00004000/);
    assert.equal(again.text, first.text.replaceAll(/0\.0000[24]000/g, "0.00000000"));
    assert.match(again.text, /data: \[DONE\]\n\n$/);
    assert.equal(upstream.requests.length, 1);
    // In one piece it is another request.
    assert.equal((await ask({})).cache, "miss");
  }, { cache_seconds: 60 });
});

Deno.test("Cache-Control asks for an answer of its own, kept or not", async () => {
  await withWorld(async ({ ask, upstream }) => {
    const control = (value: string) => ({ headers: { "cache-control": value } });
    assert.equal((await ask({}, control("no-store"))).cache, null);
    assert.equal((await ask({})).cache, "miss", "it was not stored");
    const fresh = await ask({}, control("no-cache"));
    assert.equal(fresh.cache, "miss");
    const again = await ask({});
    assert.deepEqual([again.cache, again.first], ["hit", fresh.id], "it took the other's place");
    assert.equal((await ask({}, control("no-store"))).cache, null);
    assert.equal(upstream.requests.length, 4);
  }, { cache_seconds: 60 });
});

Deno.test("refusals are not given again, and requests at one time are one call", async () => {
  await withWorld(async ({ ask, upstream }) => {
    const failing = { messages: [{ role: "user", content: "fail" }] };
    assert.deepEqual([(await ask(failing)).status, (await ask(failing)).status], [400, 400]);
    assert.equal(upstream.requests.length, 2);
    const all = await Promise.all(Array.from({ length: 5 }, () => ask({ seed: 3 })));
    assert.equal(upstream.requests.length, 3);
    assert.deepEqual(all.map(({ cache }) => cache).sort(), ["hit", "hit", "hit", "hit", "miss"]);
  }, { cache_seconds: 60 });
});

Deno.test("an answer that is given again counts as a request, and not for a key that lost its model", async () => {
  await withWorld(async ({ ask, gateway }) => {
    await runOperation(setProject, {
      deps: gateway.admin,
      input: { project: "default", limits: { requests_per_minute: 2 } },
    });
    assert.deepEqual([(await ask({})).cache, (await ask({})).cache], ["miss", "hit"]);
    assert.equal((await ask({})).status, 429);
    await runOperation(setProject, {
      deps: gateway.admin,
      input: { project: "default", models: ["other"], limits: { requests_per_minute: null } },
    });
    assert.equal((await ask({})).status, 403);
  }, { cache_seconds: 60 });
});

Deno.test("an answer that is given again is written down for a model that its caller may use", async () => {
  await withWorld(async ({ ask, gateway }) => {
    const key = await gateway.key("default");
    for (const models of [["gone", "m"], ["also-gone", "gone", "m"]]) {
      await ask({ model: undefined, models }, { key });
      const { cache, id } = await ask({ model: undefined, models }, { key });
      assert.equal(cache, "hit");
      const call = await fetch(`${gateway.url}/v1/calls/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.deepEqual([call.status, (await call.json()).model], [200, "m"]);
    }
  }, { cache_seconds: 60 });
});

Deno.test("answers are given again after a restart", async () => {
  await withWorld(async ({ ask, gateway, upstream, dataDir }) => {
    const first = await ask({});
    await gateway.stop();
    await using later = await startTestGateway({ dataDir });
    const again = await told(later, {});
    assert.deepEqual([again.cache, again.first], ["hit", first.id]);
    assert.equal(upstream.requests.length, 1);
  }, { cache_seconds: 60 });
});

Deno.test("what the cache may take is kept to, and a large answer takes no place of many", async () => {
  await withWorld(async ({ ask, upstream }) => {
    for (let seed = 0; seed < 40; seed++) await ask({ seed });
    assert.equal((await ask({ seed: 39 })).cache, "hit", "the newest is there");
    assert.equal((await ask({ seed: 0 })).cache, "miss", "the oldest has made way");
    assert.equal(upstream.requests.length, 41);
  }, { cache_seconds: 60, cache_bytes: 16_384 });
  await withWorld(async ({ ask }) => {
    assert.equal((await ask({})).cache, "miss");
    assert.equal((await ask({})).cache, "miss");
  }, { cache_seconds: 60, cache_bytes: 1_024 });
});
