/**
 * Requests that are sent again with their `Idempotency-Key`: at one time, after the
 * program was killed, and by the official clients. One call, one charge, one answer.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as six from "openai6";
import * as seven from "openai7";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { embedding } from "../support/embedding_upstream.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { assertBooksAddUp, balanceOf, NONE, servePaying } from "../support/paying_gateway.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { startDroppingProxy } from "./videos/dropping_proxy.ts";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "Hello" }] };
const EMBED = { model: "e", input: "Hello" };
const RESPOND = { model: "m", input: "Hello" };

/** What the log says of a call when its end is on disk. */
const SETTLED = /"call".*"result":"completed"/;

/** What is asked for, and what one answer costs. */
const POSTS = [
  { what: "a chat", path: "/v1/chat/completions", body: CHAT, price: 4_000n },
  {
    what: "a streamed chat",
    path: "/v1/chat/completions",
    body: { ...CHAT, stream: true, stream_options: { include_usage: true } },
    price: 4_000n,
  },
  { what: "a response", path: "/v1/responses", body: RESPOND, price: 4_000n },
  {
    what: "a streamed response",
    path: "/v1/responses",
    body: { ...RESPOND, stream: true },
    price: 4_000n,
  },
  { what: "an embedding", path: "/v1/embeddings", body: EMBED, price: 200n },
] as const;

/** What all of them cost. */
const CHARGED = POSTS.reduce((sum, { price }) => sum + price, 0n);

const embed = embedding({ form: "float", order: "in_order" });

/** Answers what it is asked for; no two answers are the same. */
function answering(before: () => Reply["before"] = () => undefined) {
  let number = 0;
  return (request: RecordedRequest): Reply => {
    if (request.target.endsWith("/embeddings")) return { ...embed(request), ...held(before()) };
    const text = `Hi ${++number}`;
    const reply = request.json().stream === true
      ? sseReply([
        chunk({ role: "assistant", content: text }),
        chunk({ content: " there" }),
        finishChunk(),
        usageChunk(10, 5),
        "[DONE]",
      ])
      : jsonReply(answerBody(text));
    return { ...reply, ...held(before()) };
  };
}

const held = (before: Reply["before"]) => before === undefined ? {} : { before };

interface Sent {
  readonly gateway: ServedGateway;
  readonly key: string;
  readonly idempotencyKey: string;
}

async function send(
  { path, body }: { readonly path: string; readonly body: object },
  { gateway, key, idempotencyKey }: Sent,
) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: {
      "authorization": `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { headers, status } = response;
  return { status, text, isRepeated: headers.get("idempotent-replayed") === "true" };
}

async function assertCharged(gateway: ServedGateway, priceE8: bigint): Promise<void> {
  const left = (1_000_000_000n - priceE8).toString().padStart(9, "0");
  assert.deepEqual(await balanceOf(gateway), {
    balance: `${left.slice(0, -8)}.${left.slice(-8)}`,
    held: NONE,
  });
  await assertBooksAddUp(gateway);
}

Deno.test("50 equal posts at one time are one upstream call, one charge and one answer", async (test) => {
  let waits = Promise.resolve();
  await using upstream = await startFakeUpstream(answering(() => [waits]));
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  let calls = 0;
  let charged = 0n;
  for (const post of POSTS) {
    await test.step(post.what, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waits = promise;
      // Streamed or not, the path is the same, and so the keys must differ.
      const sent = { gateway, key, idempotencyKey: `order-${POSTS.indexOf(post)}` };
      const asking = Array.from({ length: 50 }, () => send(post, sent));
      await upstream.received(calls++);
      resolve();
      const answers = await Promise.all(asking);
      answers.push(await send(post, sent));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(answers.filter(({ isRepeated }) => !isRepeated).length, 1);
      const changed = await send({ ...post, body: { ...post.body, user: "x" } }, sent);
      assert.equal(changed.status, 400);
      assert.match(changed.text, /"idempotency_key_reused"/);
      assert.equal(upstream.requests.length, calls);
      charged += post.price;
      await assertCharged(gateway, charged);
    });
  }
});

Deno.test("answers that were settled and not read when the program was killed are given again", async (test) => {
  await using upstream = await startFakeUpstream(answering());
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const { dataDir } = gateway.server;
  const { hostname, port } = new URL(gateway.url);
  await using sockets = new AsyncDisposableStack();
  for (const [index, { path, body }] of POSTS.entries()) {
    const to = { transport: "tcp", hostname, port: Number(port) } as const;
    const socket = sockets.use(await RawSocket.connect(to));
    const text = JSON.stringify(body);
    await socket.send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\nidempotency-key: order-${index}\r\n` +
        `content-length: ${text.length}\r\n\r\n${text}`,
    );
  }
  // A call logs itself when its end is on disk.
  await gateway.server.waitForOutput(new RegExp(`(?:${SETTLED.source}[^]*){${POSTS.length}}`));
  await gateway.server.kill();
  assert.equal(upstream.requests.length, POSTS.length);

  await using again = await serveGateway({ dataDir });
  await assertCharged(again, CHARGED);
  for (const [index, post] of POSTS.entries()) {
    await test.step(post.what, async () => {
      const sent = { gateway: again, key, idempotencyKey: `order-${index}` };
      const answers = [await send(post, sent), await send(post, sent)];
      assert.deepEqual(answers.map(({ status, isRepeated }) => [status, isRepeated]), [
        [200, true],
        [200, true],
      ]);
      assert.equal(answers[0]!.text, answers[1]!.text);
      if (post.path !== "/v1/embeddings") assert.match(answers[0]!.text, /Hi \d/);
      assert.equal(upstream.requests.length, POSTS.length);
      await assertCharged(again, CHARGED);
    });
  }
});

Deno.test("calls that were under way when the program was killed free their keys", async (test) => {
  let stalls = true;
  await using upstream = await startFakeUpstream(
    answering(() => stalls ? ["stall!"] : undefined),
  );
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const { dataDir } = gateway.server;
  const lost = POSTS.map((post, index) =>
    send(post, { gateway, key, idempotencyKey: `order-${index}` }).catch(() => "lost")
  );
  await upstream.received(POSTS.length - 1);
  await gateway.server.kill();
  assert.deepEqual(new Set(await Promise.all(lost)), new Set(["lost"]));

  stalls = false;
  await using again = await serveGateway({ dataDir });
  let charged = 0n;
  await assertCharged(again, charged);
  for (const [index, post] of POSTS.entries()) {
    await test.step(post.what, async () => {
      const sent = { gateway: again, key, idempotencyKey: `order-${index}` };
      const answer = await send(post, sent);
      assert.deepEqual([answer.status, answer.isRepeated], [200, false]);
      charged += post.price;
      assert.deepEqual(await send(post, sent), { ...answer, isRepeated: true });
      assert.equal(upstream.requests.length, POSTS.length + index + 1);
      await assertCharged(again, charged);
    });
  }
});

for (
  const { name, sdk } of [
    { name: "openai 6", sdk: six as unknown as typeof seven },
    { name: "openai 7", sdk: seven },
  ]
) {
  Deno.test(`the ${name} client with an idempotency key`, async (test) => {
    await using upstream = await startFakeUpstream(answering());
    const { gateway, key } = await servePaying(upstream.url);
    await using _ = gateway;
    const clientAt = (url: string) => {
      const client = new sdk.OpenAI({ baseURL: `${url}/v1`, apiKey: key });
      // Without the header's name the client sends no key, not even the one of a request's options.
      (client as unknown as { idempotencyHeader: string }).idempotencyHeader = "Idempotency-Key";
      return client;
    };
    const client = clientAt(gateway.url);
    let calls = 0;

    await test.step("gets one chat for one `idempotencyKey`", async () => {
      const ask = () => client.chat.completions.create(CHAT, { idempotencyKey: "chat" });
      const answers = await Promise.all(Array.from({ length: 10 }, ask));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.match(answers[0]!.choices[0]!.message.content ?? "", /^Hi \d+$/);
      assert.equal(upstream.requests.length, ++calls);
      const { response } = await client.chat.completions.create(CHAT, {
        headers: { "Idempotency-Key": "chat" },
      }).withResponse();
      assert.equal(response.headers.get("idempotent-replayed"), "true");
      assert.match(response.headers.get("x-tollgate-first-request-id") ?? "", /^req_/);
      await assert.rejects(
        client.chat.completions.create({ ...CHAT, n: 1 }, { idempotencyKey: "chat" }),
        { status: 400, code: "idempotency_key_reused" },
      );
    });

    await test.step("gets the same chunks and the same events for one `idempotencyKey`", async () => {
      const chunks = async () =>
        await Array.fromAsync(
          await client.chat.completions.create({ ...CHAT, stream: true }, { idempotencyKey: "s" }),
        );
      assert.deepEqual(await chunks(), await chunks());
      assert.equal(upstream.requests.length, ++calls);
      const events = async () =>
        await Array.fromAsync(
          await client.responses.create({ ...RESPOND, stream: true }, { idempotencyKey: "s" }),
        );
      const [first, second] = [await events(), await events()];
      assert.deepEqual(first, second);
      assert.equal(first.at(-1)!.type, "response.completed");
      assert.equal(upstream.requests.length, ++calls);
    });

    await test.step("gets one embedding and one response for one `idempotencyKey`", async () => {
      const embeddings = () => client.embeddings.create(EMBED, { idempotencyKey: "e" });
      assert.deepEqual(await embeddings(), await embeddings());
      const respond = () => client.responses.create(RESPOND, { idempotencyKey: "r" });
      const { id } = await respond();
      assert.equal((await respond()).id, id);
      calls += 2;
      assert.equal(upstream.requests.length, calls);
      await client.responses.delete(id);
      assert.notEqual((await respond()).id, id);
      assert.equal(upstream.requests.length, ++calls);
    });

    await test.step("pays once for a chat whose answer was lost: its retry has the key it made", async () => {
      const { balance } = await balanceOf(gateway);
      await using proxy = startDroppingProxy(gateway.url, { drops: 1 });
      const { choices } = await clientAt(proxy.url).chat.completions.create(CHAT);
      assert.match(choices[0]!.message.content ?? "", /^Hi \d+$/);
      assert.equal(proxy.dropped, 1);
      assert.equal(upstream.requests.length, ++calls);
      const spent = Number(balance) - Number((await balanceOf(gateway)).balance);
      assert.equal(spent.toFixed(8), "0.00004000");
    });
    await assertBooksAddUp(gateway);
    const { code, stderr } = await gateway.server.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /internal_error|TypeError/);
  });
}
