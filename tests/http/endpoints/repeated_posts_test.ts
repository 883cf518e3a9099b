import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import { embedding } from "../../support/embedding_upstream.ts";
import {
  type FakeUpstream,
  jsonReply,
  sseReply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import {
  type ApiOptions,
  eventsOf,
  type ResponsesGateway,
  startResponsesGateway,
} from "../../support/responses_gateway.ts";
import { until } from "../../support/until.ts";

const CHAT = { model: "m", messages: [{ role: "user", content: "Hello" }] };
/** What the answers below cost a project that pays, in units of 1e-8. */
const PRICE = 4_000n;
const CREDIT = 1_000_000_000n;
const KEYED = { "idempotency-key": "key-1" };

const plain = jsonReply(answerBody("Hi"));
const words = sseReply([
  chunk({ role: "assistant", content: "Hi" }),
  chunk({ content: " there" }),
  finishChunk(),
  usageChunk(10, 5),
  "[DONE]",
]);

interface At {
  readonly upstream: FakeUpstream;
  readonly gateway: ResponsesGateway;
  /** Sends it with the key `key-1`; answers with the text and what the head says of repeats. */
  post(path: string, body: unknown, options?: ApiOptions): Promise<Told>;
  charged(): Promise<bigint>;
}

interface Told {
  readonly status: number;
  readonly text: string;
  readonly isRepeated: boolean;
  readonly id: string;
  readonly first: string | null;
  readonly headers: Headers;
}

async function told(sent: Promise<Response>): Promise<Told> {
  const response = await sent;
  const { status, headers } = response;
  return {
    status,
    headers,
    text: await response.text(),
    isRepeated: headers.get("idempotent-replayed") === "true",
    id: headers.get("x-request-id")!,
    first: headers.get("x-tollgate-first-request-id"),
  };
}

async function scene(run: (at: At) => Promise<void>): Promise<void> {
  await using upstream = await startFakeUpstream(plain);
  await using gateway = await startResponsesGateway(upstream.url);
  await run({
    upstream,
    gateway,
    post: (path, body, options) =>
      told(gateway.send("POST", path, { headers: KEYED, body, ...options })),
    async charged() {
      await gateway.quiet();
      const { avail, held } = await gateway.balance();
      assert.equal(held, 0n);
      return CREDIT - avail;
    },
  });
}

/** One answer for all: one that is the first's own, and repeats that name it. */
function assertOneAnswer(answers: readonly Told[]): void {
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(new Set(answers.map(({ id }) => id)).size, answers.length, "an id for each request");
  const [first, ...others] = answers.filter(({ isRepeated }) => !isRepeated);
  assert.deepEqual(others, []);
  assert.equal(first!.first, null);
  for (const { isRepeated, first: named } of answers) {
    if (isRepeated) assert.equal(named, first!.id);
  }
}

const fifty = (send: () => Promise<Told>) => Promise.all(Array.from({ length: 50 }, send));

for (
  const [what, path, body, reply] of [
    ["a chat", "/chat/completions", CHAT, plain],
    ["a streamed chat", "/chat/completions", { ...CHAT, stream: true }, words],
    ["a response", "/responses", { model: "m", input: "Hello" }, plain],
    ["a streamed response", "/responses", { model: "m", input: "Hello", stream: true }, words],
    [
      "a response that is not kept",
      "/responses",
      { model: "m", input: "Hello", store: false },
      plain,
    ],
  ] as const
) {
  Deno.test(`fifty equal requests for ${what} at one time are one call and one charge`, () =>
    scene(async ({ upstream, gateway, post, charged }) => {
      const go = Promise.withResolvers<void>();
      upstream.answer({ ...reply, before: [go.promise] });
      const asking = fifty(() => post(path, body));
      await upstream.received(0);
      go.resolve();
      const answers = await asking;
      // Later, and under the other prefix, with the fields in another order.
      const reordered = Object.fromEntries(Object.entries(body).reverse());
      answers.push(await post(path, reordered, { prefix: "/api/gateway/v1" }));
      assertOneAnswer(answers);
      assert.equal(upstream.requests.length, 1);
      assert.equal(await charged(), PRICE);
      for (const { headers } of answers) {
        const isStream = "stream" in body;
        assert.match(
          headers.get("content-type")!,
          isStream ? /^text\/event-stream/ : /^application\/json/,
        );
        assert.equal(headers.get("x-tollgate-route"), isStream ? "remote/m" : null);
      }
      if (path === "/responses" && "stream" in body) {
        const numbers = eventsOf(answers.at(-1)!.text).map((event) => event.sequence_number);
        assert.deepEqual(numbers, numbers.map((_, index) => index));
      }
      const changed = await post(path, { ...body, temperature: 1 });
      assert.equal(changed.status, 400);
      assert.equal(JSON.parse(changed.text).error.code, "idempotency_key_reused");
      const foreign = await post(path, body, { key: gateway.stranger });
      assert.deepEqual([foreign.status, foreign.isRepeated], [200, false]);
      assert.equal(upstream.requests.length, 2);
    }));
}

Deno.test("fifty equal requests for embeddings at one time are one call and one charge", () =>
  scene(async ({ upstream, post, charged }) => {
    upstream.answer(embedding({ form: "float", order: "in_order" }));
    const answers = await fifty(() => post("/embeddings", { model: "embed", input: "Hello" }));
    answers.push(await post("/embeddings", { model: "embed", input: "Hello" }));
    assertOneAnswer(answers);
    assert.equal(upstream.requests.length, 1);
    assert.equal(await charged(), 200n);
  }));

Deno.test("requests without a key, or with keys of their own, are calls of their own", () =>
  scene(async ({ upstream, gateway, post }) => {
    const keys: readonly Record<string, string>[] = [
      {},
      {},
      { "idempotency-key": "a" },
      { "idempotency-key": "b" },
    ];
    for (const headers of keys) {
      const { status, isRepeated } = await post("/chat/completions", CHAT, { headers });
      assert.deepEqual([status, isRepeated], [200, false]);
    }
    assert.equal(upstream.requests.length, 4);
    const { status, text } = await post("/chat/completions", CHAT, {
      headers: { "idempotency-key": "a b" },
    });
    assert.equal(status, 400);
    assert.equal(JSON.parse(text).error.param, "Idempotency-Key");
    assert.equal(gateway.log().includes("key-1"), false);
  }));

Deno.test("a request that was refused, or failed, frees its key", () =>
  scene(async ({ upstream, post, charged }) => {
    assert.equal((await post("/chat/completions", { ...CHAT, model: "none" })).status, 404);
    upstream.answer(jsonReply({ error: { message: "Bad" } }, { status: 400 }));
    assert.equal((await post("/chat/completions", CHAT)).status, 400);
    upstream.answer(jsonReply({ error: { message: "Down" } }, { status: 500 }));
    assert.equal((await post("/chat/completions", CHAT)).status, 503);
    upstream.answer(sseReply([chunk({ role: "assistant", content: "Hi" }), "cut!"]));
    const broken = await post("/responses", { model: "m", input: "Hello", stream: true });
    assert.match(broken.text, /response\.failed/);
    assert.equal(await charged(), 0n);
    upstream.answer(words);
    const whole = await post("/responses", { model: "m", input: "Hello", stream: true });
    assert.deepEqual([whole.isRepeated, /response\.completed/.test(whole.text)], [false, true]);
    upstream.answer(plain);
    const { status, isRepeated } = await post("/chat/completions", CHAT);
    assert.deepEqual([status, isRepeated], [200, false]);
    assert.equal(await charged(), 2n * PRICE);
  }));

Deno.test("a stream goes on for the others when the one who asked first leaves", () =>
  scene(async ({ upstream, gateway, charged }) => {
    const go = Promise.withResolvers<void>();
    upstream.answer({ ...words, steps: [words.steps[0]!, go.promise, ...words.steps.slice(1)] });
    const body = { ...CHAT, stream: true };
    const leaving = new AbortController();
    const open = (signal?: AbortSignal) =>
      gateway.send("POST", "/chat/completions", {
        headers: KEYED,
        body,
        ...(signal === undefined ? {} : { signal }),
      });
    const first = await open(leaving.signal);
    const reader = first.body!.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /Hi/);
    const second = await open();
    leaving.abort();
    await reader.read().catch(() => {});
    const gone = gateway.running.admin.ledger.balanceOf("paying").held;
    assert.equal(gone > 0n, true, "the call is still under way");
    go.resolve();
    const text = await second.text();
    assert.match(text, /Hi.*there.*\[DONE\]/s);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    const again = await told(open());
    assert.deepEqual([again.isRepeated, again.text], [true, text]);
    assert.equal(upstream.requests.length, 1);
    assert.equal(await charged(), PRICE);
  }));

Deno.test("a stream that all have left is charged by what it delivered, and its key is free", () =>
  scene(async ({ upstream, gateway, post, charged }) => {
    upstream.answer(sseReply([chunk({ role: "assistant", content: "Hi" }), "stall!"]));
    const body = { ...CHAT, stream: true };
    const leaving = [new AbortController(), new AbortController()];
    const readers = await Promise.all(leaving.map(async ({ signal }) => {
      const response = await gateway.send("POST", "/chat/completions", {
        headers: KEYED,
        body,
        signal,
      });
      const reader = response.body!.getReader();
      await reader.read();
      return reader;
    }));
    for (const one of leaving) one.abort();
    await Promise.all(readers.map((reader) => reader.read().catch(() => {})));
    await (await upstream.received(0)).closed;
    const delivered = await charged();
    assert.equal(delivered > 0n, true);
    assert.equal(upstream.requests.length, 1);
    upstream.answer(words);
    assert.equal((await post("/chat/completions", body)).isRepeated, false);
    assert.equal(await charged(), delivered + PRICE);
  }));

Deno.test("an answer goes on for the others when the one who asked first leaves", () =>
  scene(async ({ upstream, gateway, post, charged }) => {
    const go = Promise.withResolvers<void>();
    upstream.answer({ ...plain, before: [go.promise] });
    const leaving = new AbortController();
    const first = post("/chat/completions", CHAT, { signal: leaving.signal }).catch(() => "gone");
    await upstream.received(0);
    const second = post("/chat/completions", CHAT);
    const third = post("/chat/completions", CHAT);
    await gateway.api("GET", "/key");
    leaving.abort();
    assert.equal(await first, "gone");
    await gateway.api("GET", "/key");
    go.resolve();
    const [one, other] = await Promise.all([second, third]);
    assert.deepEqual([one.isRepeated, other.isRepeated], [true, true]);
    assert.equal(one.text, other.text);
    assert.equal(upstream.requests.length, 1);
    assert.equal(await charged(), PRICE);
  }));

Deno.test("an answer in the background begins once, and is repeated as it began", () =>
  scene(async ({ upstream, gateway, post, charged }) => {
    const body = { model: "m", input: "Hello", background: true };
    const answers = await fifty(() => post("/responses", body));
    assertOneAnswer(answers);
    const { id, status } = JSON.parse(answers[0]!.text);
    assert.equal(status, "queued");
    await until(
      "its end",
      async () => (await gateway.api("GET", `/responses/${id}`)).body.status === "completed",
    );
    answers.push(await post("/responses", body));
    assertOneAnswer(answers);
    assert.equal(upstream.requests.length, 1);
    assert.equal(await charged(), PRICE);
  }));

Deno.test("POST /responses/{id}/cancel gives one answer for one key, that of its own response", () =>
  scene(async ({ gateway, post }) => {
    const begin = async () =>
      (await gateway.respond({ model: "slow", input: "Hello", background: true })).id;
    const [one, other] = [await begin(), await begin()];
    const cancel = (id: string) => post(`/responses/${id}/cancel`, undefined);
    const answers = await fifty(() => cancel(one));
    assertOneAnswer(answers);
    assert.equal(JSON.parse(answers[0]!.text).status, "cancelled");
    const second = await cancel(other);
    assert.deepEqual([second.isRepeated, JSON.parse(second.text).id], [false, other]);
    assert.equal((await cancel("resp_none")).status, 404);
    assert.equal((await gateway.api("DELETE", `/responses/${one}`)).status, 200);
    assert.equal((await cancel(one)).status, 404);
  }));

Deno.test("a deleted response is not told of again by its key", () =>
  scene(async ({ upstream, gateway, post }) => {
    for (const [index, fields] of [{}, { stream: true }, { background: true }].entries()) {
      upstream.answer("stream" in fields ? words : plain);
      const body = { model: "m", input: "Hello", ...fields };
      const headers = { "idempotency-key": `key-${index}` };
      const first = await post("/responses", body, { headers });
      const id = /resp_[a-z2-7]{40}/.exec(first.text)![0];
      await gateway.quiet();
      assert.equal((await post("/responses", body, { headers })).isRepeated, true);
      assert.equal((await gateway.api("DELETE", `/responses/${id}`)).status, 200);
      const again = await post("/responses", body, { headers });
      assert.deepEqual([again.status, again.isRepeated], [200, false]);
      assert.equal(again.text.includes(id), false);
      await gateway.quiet();
    }
  }));

Deno.test("an answer above 16 MiB is given once, and its key says so", () =>
  scene(async ({ upstream, post, charged }) => {
    const large = "x".repeat(17 * 1024 * 1024);
    upstream.answer(jsonReply(answerBody(large)));
    const first = await post("/chat/completions", CHAT);
    assert.equal(first.status, 200);
    assert.ok(first.text.includes(large));
    const again = await post("/chat/completions", CHAT);
    assert.equal(again.status, 400);
    const { code, message } = JSON.parse(again.text).error;
    assert.equal(code, "idempotent_answer_not_kept");
    assert.ok(message.includes(first.id));
    assert.equal(upstream.requests.length, 1);
    assert.equal(await charged(), PRICE);
  }));

Deno.test("a large answer is repeated byte for byte", () =>
  scene(async ({ upstream, post }) => {
    upstream.answer(jsonReply(answerBody("é🚀".repeat(100_000))));
    const first = await post("/chat/completions", CHAT);
    const again = await post("/chat/completions", CHAT);
    assert.equal(again.isRepeated, true);
    assert.ok(again.text === first.text);
  }));

Deno.test("every POST of the API's document that does something has the Idempotency-Key, and no other method", () =>
  scene(async ({ gateway }) => {
    const { paths } = await (await fetch(`${gateway.url}/openapi.json`)).json();
    let posts = 0;
    for (const [path, methods] of Object.entries(paths as Record<string, object>)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        const names = parameters.map(({ name }: { name: string }) => name.toLowerCase());
        // A question that charges nothing is asked again without harm.
        const isPost = method === "post" && !/\/(count|input)_tokens$/.test(path);
        if (isPost) posts++;
        assert.equal(
          names.filter((name: string) => name === "idempotency-key").length,
          isPost ? 1 : 0,
          path,
        );
        assert.equal("idempotent-replayed" in (responses["200"].headers ?? {}), isPost, path);
      }
    }
    assert.equal(posts, 38);
  }));
