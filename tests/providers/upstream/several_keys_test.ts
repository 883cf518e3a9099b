/**
 * Several keys of one provider: a refused or exhausted one rests alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { KeyRefusal } from "../../../src/providers/contract/provider.ts";
import { createOpenAiCompatible } from "../../../src/providers/openai_compatible/provider.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { answerBody, chunk, finishChunk } from "../../support/chat_bodies.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { jsonReply, type Reply, sseReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { chatCall, failureOf, never, providerSettings } from "../../support/provider_parts.ts";

const KEYS: Readonly<Record<string, string>> = {
  "env:GOOD": "good-key-0123456789",
  "env:BAD": "bad-key-0123456789",
};

type Refuse = (key: string, body: string) => Reply | undefined;

/** Two keys, `env:BAD` first in turn, at an upstream that refuses as told. */
async function bench(refuse: Refuse, apiKeys: readonly string[] = ["env:BAD", "env:GOOD"]) {
  const clock = new FakeClock();
  const used: string[] = [];
  const refusals: KeyRefusal[] = [];
  const upstream = await startFakeUpstream((request): Reply => {
    const key = /authorization: Bearer (\w+)-key/i.exec(request.head)?.[1] ?? "none";
    used.push(key);
    const refused = refuse(key, request.body);
    if (refused !== undefined) return refused;
    if (request.method === "GET") return jsonReply({ data: [{ id: "m" }] });
    return request.body.includes('"stream":true')
      ? sseReply([chunk({ role: "assistant", content: "Hi" }), finishChunk(), "[DONE]"])
      : jsonReply(answerBody("Hi"));
  });
  const transport = createTransport({ clock });
  const provider = createOpenAiCompatible(
    providerSettings({ baseUrl: `${upstream.url}/v1`, apiKeys: [...apiKeys] }),
    {
      transport,
      clock,
      random: Math.random,
      secrets: (reference) => KEYS[reference],
      onKeyRefused: (refusal) => refusals.push(refusal),
    },
  );
  return {
    clock,
    provider,
    used,
    refusals,
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const revoked = (status: number, error: object): Refuse => (key) =>
  key === "bad" ? jsonReply({ error }, { status }) : undefined;

const REFUSALS: readonly [name: string, refuse: Refuse][] = [
  ["revoked", revoked(401, { message: "no", code: "invalid_api_key" })],
  ["out of credit", revoked(402, { message: "Insufficient credits" })],
  ["out of quota", revoked(429, { message: "no", code: "insufficient_quota" })],
  ["at its rate", revoked(429, { message: "slow down" })],
  ["refused without a word", revoked(401, {})],
];

for (const [name, refuse] of REFUSALS) {
  Deno.test(`a key that is ${name} rests alone, the other serves within the attempt`, async () => {
    await using world = await bench(refuse);
    const { provider, used, refusals } = world;
    for (let call = 0; call < 4; call++) {
      await provider.speaks.openai_chat.answer(chatCall(), never());
    }
    const stream = await provider.speaks.openai_chat.stream(chatCall(), never());
    assert.notEqual((await stream.next())?.length, 0);
    stream.cancel();
    assert.deepEqual(used, ["bad", "good", "good", "good", "good", "good"]);
    assert.deepEqual(refusals.map(({ provider, key }) => [provider, key]), [["acme", "env:BAD"]]);
    assert.doesNotMatch(JSON.stringify(refusals), /-key-0123456789/);
    assert.deepEqual(provider.keyStates().map(({ key, state }) => [key, state]), [
      ["env:BAD", "resting"],
      ["env:GOOD", "ready"],
    ]);
  });
}

Deno.test("a key that rested is tried again, and is well when its upstream takes it", async () => {
  let isRevoked = true;
  await using world = await bench((key) =>
    key === "bad" && isRevoked
      ? jsonReply({ error: { code: "invalid_api_key" } }, { status: 401 })
      : undefined
  );
  const { provider, used, clock } = world;
  await provider.speaks.openai_chat.answer(chatCall(), never());
  isRevoked = false;
  clock.advance(60_000);
  for (let call = 0; call < 2; call++) {
    await provider.speaks.openai_chat.answer(chatCall(), never());
  }
  assert.deepEqual(used.slice(2).sort(), ["bad", "good"]);
  assert.deepEqual(provider.keyStates().map(({ state }) => state), ["ready", "ready"]);
});

Deno.test("an answer to what was sent before a key's refusal does not end its rest", async () => {
  const arrived = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  await using world = await bench((key, body) => {
    if (key !== "bad") return undefined;
    if (!body.includes('"stream":true')) return jsonReply({}, { status: 429 });
    arrived.resolve();
    return {
      ...sseReply([chunk({ content: "Hi" }), finishChunk(), "[DONE]"]),
      before: [go.promise],
    };
  });
  const { provider, used } = world;
  const early = provider.speaks.openai_chat.stream(chatCall(), never());
  await arrived.promise;
  await provider.speaks.openai_chat.answer(chatCall(), never());
  await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.deepEqual(used, ["bad", "good", "bad", "good"]);
  go.resolve();
  (await early).cancel();
  assert.deepEqual(provider.keyStates().map(({ state }) => state), ["resting", "ready"]);
});

Deno.test("what every key is refused alike is no key's fault, unless the upstream says so", async () => {
  await using doubtful = await bench(() => jsonReply({}, { status: 401 }));
  const error = await failureOf(doubtful.provider.speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(error.failure, "doubtful");
  assert.deepEqual(doubtful.used, ["bad", "good"]);
  assert.deepEqual(doubtful.refusals, []);
  await using said = await bench(() =>
    jsonReply({ error: { code: "invalid_api_key" } }, { status: 401 })
  );
  const refused = await failureOf(said.provider.speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(refused.failure, "operator");
  assert.equal(said.refusals.length, 2);
});

Deno.test("of a revoked key and a busy one the busy one says when to come back", async () => {
  await using world = await bench((key) =>
    key === "bad"
      ? jsonReply({ error: { code: "invalid_api_key" } }, { status: 401 })
      : jsonReply({}, { status: 429, headers: { "retry-after": "7" } })
  );
  const error = await failureOf(world.provider.speaks.openai_chat.answer(chatCall(), never()));
  assert.equal(error.failure, "busy");
  assert.equal(error.retryAfterSeconds, 7);
  assert.equal(error.key, "env:GOOD");
});

Deno.test("a fault of the request, or of the upstream, is no reason for another key", async () => {
  for (const status of [400, 404, 500]) {
    await using world = await bench(() => jsonReply({}, { status }));
    await failureOf(world.provider.speaks.openai_chat.answer(chatCall(), never()));
    assert.deepEqual(world.used, ["bad"]);
  }
});

Deno.test("check() asks with every key and names the refused one by its reference", async () => {
  await using world = await bench(
    revoked(401, { message: `Incorrect API key provided: ${KEYS["env:BAD"]}` }),
  );
  const { ok, checked, detail } = await world.provider.check(never());
  assert.deepEqual([ok, checked], [false, true]);
  assert.equal(
    detail,
    "key env:BAD: The upstream answered 401: Incorrect API key provided: [redacted]; 1 of 2 keys that have a value answers",
  );
  assert.deepEqual(world.used.toSorted(), ["bad", "good"]);
});

Deno.test("a request that every key is told to come back with rests none of them", async () => {
  const wait = { status: 429, headers: { "retry-after": "300" } };
  await using world = await bench((_key, body) =>
    body.includes("special") ? jsonReply({}, wait) : undefined
  );
  const { provider, used, clock } = world;
  const special = chatCall({ messages: [{ role: "user", content: "special" }] });
  const error = await failureOf(provider.speaks.openai_chat.answer(special, never()));
  assert.deepEqual([error.failure, error.retryAfterSeconds], ["busy", 300]);
  assert.deepEqual(provider.keyStates().map(({ state }) => state), ["ready", "ready"]);
  for (let call = 0; call < 4; call++) {
    await provider.speaks.openai_chat.answer(chatCall(), never());
  }
  assert.deepEqual(used.slice(2).toSorted(), ["bad", "bad", "good", "good"]);
  clock.advance(1_000);
  await failureOf(provider.speaks.openai_chat.answer(special, never()));
  assert.equal(used.length, 8, "both are asked again");
});

Deno.test("a request does not make the last key rest beside one that does", async () => {
  let isLimited = true;
  await using world = await bench((key, body) => {
    const isRefused = body.includes("special") || (key === "bad" && isLimited);
    return isRefused ? jsonReply({}, { status: 429, headers: { "retry-after": "30" } }) : undefined;
  });
  const { provider, used } = world;
  await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.deepEqual(used, ["bad", "good"]);
  const special = chatCall({ messages: [{ role: "user", content: "special" }] });
  for (let call = 0; call < 3; call++) {
    await failureOf(provider.speaks.openai_chat.answer(special, never()));
  }
  isLimited = false;
  assert.deepEqual(provider.keyStates().map(({ state }) => state), ["resting", "ready"]);
  await provider.speaks.openai_chat.answer(chatCall(), never());
  assert.equal(used.at(-1), "good");
});
