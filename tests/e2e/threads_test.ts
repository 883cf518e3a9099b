/**
 * Several serving threads are one gateway: what holds of money, limits, keys and the catalogue holds
 * of all of them at once.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  ask,
  assertBooksAddUp,
  balanceOf,
  NONE,
  pricedCatalogue,
  startStream,
} from "../support/paying_gateway.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const THREADS = 3;
const AT_ONCE = 60;
const METRICS_TOKEN = "a-metrics-token-of-many-letters";

/** With callers that are limited in every way, and a route that is. */
function catalogue(upstreamUrl: string): string {
  const limited = pricedCatalogue(upstreamUrl);
  return `${limited}
  - { id: requests, unlimited: true, limits: { requests_per_minute: 20 } }
  - { id: tokens, unlimited: true, limits: { tokens_per_minute: 300 } }
  - { id: places, unlimited: true, limits: { concurrent: 5 } }
  - { id: spent, unlimited: true, budgets: { daily: "0.0002" } }
`;
}

async function serveThreads(upstreamUrl: string): Promise<ServedGateway> {
  const gateway = await serveGateway({
    catalogue: catalogue(upstreamUrl),
    args: ["--threads", String(THREADS), "--metrics", "on"],
    env: { TOLLGATE_METRICS_TOKEN: METRICS_TOKEN },
  });
  await gateway.credit("paying", "10");
  return gateway;
}

/** As many calls at one time as have to spread over the threads; how many got which status. */
async function callAtOnce(
  gateway: ServedGateway,
  key: string,
  body: object = ask,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const response = await gateway.chat(key, body);
    await response.body?.cancel();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }));
  return statuses;
}

Deno.test("threads that serve are one gateway", async (t) => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await serveThreads(upstream.url);
  const key = await gateway.key("paying");

  await t.step("calls spread over all of them, and each is in the books", async () => {
    assert.deepEqual(await callAtOnce(gateway, key), { 200: AT_ONCE });
    const begun = await until("every thread has begun calls", async () => {
      const page = await (await fetch(`${gateway.url}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      })).text();
      const counts = [...page.matchAll(/^tollgate_thread_begun_calls\{thread="(\d)"\} (\d+)$/gm)]
        .map(([, , count]) => Number(count));
      const sum = counts.reduce((all, one) => all + one, 0);
      return counts.length === THREADS && sum === AT_ONCE && counts;
    });
    assert.ok(begun.every((count) => count > 0), `${begun}`);
    const calls = await gateway.cli("calls", "list", "--limit", "100");
    assert.equal(calls.length, AT_ONCE);
    assert.deepEqual(await balanceOf(gateway), { balance: "9.99760000", held: NONE });
  });

  await t.step("limits of a project hold for all of them together", async () => {
    const requests = await gateway.key("requests");
    assert.deepEqual(await callAtOnce(gateway, requests), { 200: 20, 429: AT_ONCE - 20 });
    const tokens = await gateway.key("tokens");
    const { 200: served = 0, 429: refused = 0 } = await callAtOnce(gateway, tokens, {
      ...ask,
      max_tokens: 50,
    });
    assert.equal(served + refused, AT_ONCE);
    assert.ok(served > 0 && served <= 300 / 15, `${served} served`);
    const open = Promise.withResolvers<void>();
    const before = upstream.requests.length;
    upstream.answer(async () => {
      await open.promise;
      return jsonReply(answerBody("Hi"));
    });
    const places = callAtOnce(gateway, await gateway.key("places"));
    await until("as many as may are under way", () => upstream.requests.length === before + 5);
    open.resolve();
    const found = await places;
    // Whoever came after the first had ended found a place that was free again.
    assert.ok(found[200]! >= 5 && found[200]! + (found[429] ?? 0) === AT_ONCE, `${found[200]}`);
    upstream.answer(jsonReply(answerBody("Hi")));
    const told = await gateway.chat(await gateway.key("requests"), ask);
    await told.body?.cancel();
    assert.equal(told.headers.get("x-ratelimit-remaining-requests"), "0");
  });

  await t.step("a balance is spent to its end, and not beyond", async () => {
    await gateway.apply(`${catalogue(upstream.url)}\n  - { id: poor }\n`);
    await gateway.credit("poor", "0.001");
    const { 200: served = 0, 402: refused = 0 } = await callAtOnce(
      gateway,
      await gateway.key("poor"),
      { ...ask, max_tokens: 10 },
    );
    assert.equal(served + refused, AT_ONCE);
    assert.ok(served > 0 && refused > 0, `${served} served`);
    const { balance, held } = await balanceOf(gateway, "poor");
    assert.equal(held, NONE);
    assert.equal(Number(balance).toFixed(8), (0.001 - served * 0.00004).toFixed(8));
  });

  await t.step(
    "a key that is disabled, and a catalogue that is changed, are so for the next call",
    async () => {
      const made = await gateway.admin("POST", "/keys", { project: "paying" });
      assert.deepEqual(await callAtOnce(gateway, made.key), { 200: AT_ONCE });
      await gateway.admin("POST", `/keys/${made.id}/disable`, {});
      assert.deepEqual(await callAtOnce(gateway, made.key), { 401: AT_ONCE });
      await gateway.cli("routes", "disable", "remote/m");
      assert.deepEqual(await callAtOnce(gateway, key), { 503: AT_ONCE });
      await gateway.cli("routes", "enable", "remote/m");
      assert.deepEqual(await callAtOnce(gateway, key), { 200: AT_ONCE });
    },
  );

  await t.step("what threads do not serve is served at the same address", async () => {
    const repeated = { "idempotency-key": "once" };
    const [first, second] = [
      await gateway.chat(key, ask, { headers: repeated }),
      await gateway.chat(key, ask, { headers: repeated }),
    ];
    assert.equal(await first.text(), await second.text());
    assert.equal((await gateway.get("/v1/models", key)).data.length, 3);
    assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
    const refused = await gateway.chat(key, { model: "none", messages: [] });
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error.message, /messages/);
    const spent = await gateway.key("spent");
    const statuses = await callAtOnce(gateway, spent, { ...ask, max_tokens: 10 });
    assert.ok(statuses[200]! >= 1 && statuses[402]! >= 1, JSON.stringify(statuses));
  });

  await t.step("failures that one thread meets cool a route for the others", async () => {
    upstream.answer(jsonReply({ error: { message: "no such key" } }, { status: 401 }));
    // Two projects have to meet it, as the key may be wrong for one alone.
    for (const met of [key, await gateway.key("default")]) {
      await (await gateway.chat(met, ask)).body?.cancel();
    }
    await until("the others have heard of it", async () => {
      const asked = upstream.requests.length;
      assert.deepEqual(Object.keys(await callAtOnce(gateway, key)), ["503"]);
      // Each thread looks again about once a second.
      return upstream.requests.length - asked <= THREADS;
    });
    upstream.answer(jsonReply(answerBody("Hi")));
  });

  await t.step("the books add up", () => assertBooksAddUp(gateway));
});

Deno.test("SIGTERM lets the streams of all threads end, and settles them", async () => {
  const more = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(sseReply([
    chunk({ role: "assistant", content: "Hi" }),
    more.promise,
    finishChunk(),
    usageChunk(1000, 500),
    "[DONE]",
  ]));
  await using gateway = await serveThreads(upstream.url);
  const key = await gateway.key("paying");
  const streams = await Promise.all(Array.from({ length: 12 }, () => startStream(gateway, key)));
  const stopped = gateway.server.stop();
  await gateway.server.waitForOutput(/Stopping/);
  more.resolve();
  for (const stream of streams) assert.match(await stream.rest(), /\[DONE\]/);
  assert.equal((await stopped).code, 0);
  assert.deepEqual(await balanceOf(gateway), { balance: "9.95200000", held: NONE });
  await assertBooksAddUp(gateway);
});

Deno.test("a connection that was passed on comes back to the threads", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await serveThreads(upstream.url);
  const { hostname, port } = new URL(gateway.url);
  const address = { transport: "tcp", hostname, port: Number(port) } as const;
  const [paying, spent] = [await gateway.key("paying"), await gateway.key("spent")];
  const head = (key: string, line: string, length: number) =>
    `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const body = JSON.stringify({ ...ask, max_tokens: 10 });
  const call = (key: string) => head(key, "POST /v1/chat/completions", body.length) + body;
  const closesAfter = async (...requests: readonly string[]) => {
    using socket = await RawSocket.connect(address);
    let last: string | undefined;
    for (const request of requests) {
      await socket.send(request);
      last = (await socket.readResponse()).headers.get("connection");
    }
    return last === "close";
  };
  // Only the main thread serves the list of models, and the calls of a project with a budget.
  const list = head(paying, "GET /v1/models", 0);
  assert.equal(await closesAfter(list, list), false);
  assert.equal(await closesAfter(list, call(paying)), true);
  assert.equal(await closesAfter(call(spent), call(spent)), false);
  assert.equal(await closesAfter(call(spent), call(paying)), true);
});

Deno.test("SIGTERM waits for calls of threads no longer than for others", async () => {
  const never = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(async () => {
    await never.promise;
    return jsonReply(answerBody("Hi"));
  });
  await using gateway = await serveGateway({
    catalogue: catalogue(upstream.url),
    args: ["--threads", String(THREADS), "--drain-timeout-ms", "500"],
  });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const calls = Promise.allSettled(Array.from({ length: 8 }, () => gateway.chat(key, ask)));
  await until("all are at the upstream", () => upstream.requests.length === 8);
  const stopped = gateway.server.stop();
  await gateway.server.waitForOutput(/Stopping when 8 calls under way have ended/);
  // The upstream never answers: whoever waited for it would not end.
  assert.deepEqual((await calls).map(({ status }) => status), Array(8).fill("rejected"));
  assert.equal((await stopped).code, 0);
  never.resolve();
  assert.deepEqual(await balanceOf(gateway), { balance: "10.00000000", held: NONE });
  await assertBooksAddUp(gateway);
});
