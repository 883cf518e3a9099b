/**
 * What an answer tells decides the price: its tier, its context, and tokens of sound.
 *
 * @module
 */

import assert from "node:assert/strict";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { ask, lastCall } from "../support/settled_calls.ts";

function catalogue(url: string): string {
  return `
providers: [{ id: a, kind: openai_compatible, base_url: "${url}/v1" }]
models:
  - id: m
    kind: chat
    routes:
      - id: a/m
        provider: a
        cost:
          input: "1"
          output: "2"
          input_audio: "50"
          when:
            - { context_above: 1000, input: "3" }
            - { service_tier: priority, output: "8" }
            - { service_tier: flex, output: "1" }
        sale: { markup: "2" }
projects: [{ id: paying, unlimited: false }]
`;
}

const USAGE = {
  prompt_tokens: 1001,
  completion_tokens: 10,
  total_tokens: 1011,
  prompt_tokens_details: { audio_tokens: 100 },
};

for (const stream of [false, true]) {
  Deno.test(`a call is priced by the tier, context and sound of its answer (stream: ${stream})`, async () => {
    const tier = { service_tier: "priority" };
    const events = [chunk({ content: "Hi" }), finishChunk(), { ...usageChunk(0, 0), usage: USAGE }];
    await using upstream = await startFakeUpstream(
      stream
        ? sseReply(events.map((event) => ({ ...event, ...tier })))
        : jsonReply({ ...answerBody("Hi", USAGE), ...tier }),
    );
    await using gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    const response = await gateway.chat({ ...ask, stream }, { key });
    assert.match(await response.text(), /"sale_amount":"0\.01556600"/);

    const call = await lastCall(gateway);
    // 901 x 3 + 100 x 50 + 10 x 8 per million, and twice that.
    assert.deepEqual([call.costE8, call.saleE8], [778_300n, 1_556_600n]);
    assert.deepEqual(call.work, { input: 901, inputAudio: 100, output: 10 });
    assert.deepEqual(call.terms, { serviceTier: "priority" });
    const authorization = `Bearer ${key}`;
    const url = `${gateway.url}/v1/calls/${call.requestId}`;
    const shown = await (await fetch(url, { headers: { authorization } })).json();
    assert.deepEqual(shown.usage.prompt_tokens, 1001);
    assert.deepEqual(shown.usage.prompt_tokens_details.audio_tokens, 100);
    assert.deepEqual((await verifyLedger.run(gateway.admin, {})).differences, []);
  });
}

Deno.test("a tier that is told before the counts, or without any, decides the price", async () => {
  const tier = { service_tier: "priority" };
  const told = [{ ...chunk({ content: "Hi" }), ...tier }, finishChunk()];
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const absurd = { ...usage, prompt_tokens: -1 };
  const cases = [
    [true, sseReply([...told, { ...usageChunk(0, 0), usage }]), "reported"],
    [true, sseReply([...told, { ...usageChunk(0, 0), usage: absurd }]), "estimated"],
    [true, sseReply(told), "estimated"],
    [false, jsonReply({ ...answerBody("Hi", absurd), ...tier }), "estimated"],
  ] as const;
  for (const [index, [stream, reply, source]] of cases.entries()) {
    await using upstream = await startFakeUpstream(reply);
    await using gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
    await gateway.credit("paying", "10");
    const response = await gateway.chat({ ...ask, stream }, { key: await gateway.key("paying") });
    assert.match(await response.text(), /"sale_amount"/);
    const call = await lastCall(gateway);
    assert.equal(call.usageSource, source, `case ${index}`);
    assert.deepEqual(call.terms, { serviceTier: "priority" }, `case ${index}`);
    const { input = 0, output = 0 } = call.work;
    assert.equal(call.costE8, BigInt(input * 100 + output * 800), `case ${index}`);
    assert.deepEqual((await verifyLedger.run(gateway.admin, {})).differences, []);
  }
});

for (const stream of [false, true]) {
  const asTold = [
    ["priority", undefined, "priority"],
    ["priority", "default", undefined],
    ["flex", undefined, undefined],
    ["flex", "flex", "flex"],
    ["auto", undefined, undefined],
  ] as const;
  for (const [asked, told, paid] of asTold) {
    Deno.test(`a tier '${asked}' that the answer calls ${told} is sold as ${paid} (stream: ${stream})`, async () => {
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      const tier = told === undefined ? {} : { service_tier: told };
      const events = [chunk({ content: "Hi" }), finishChunk(), { ...usageChunk(0, 0), usage }];
      await using upstream = await startFakeUpstream(
        stream
          ? sseReply(events.map((event) => ({ ...event, ...tier })))
          : jsonReply({ ...answerBody("Hi", usage), ...tier }),
      );
      await using gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
      await gateway.credit("paying", "10");
      const key = await gateway.key("paying");
      const body = { ...ask, service_tier: asked, stream };
      await (await gateway.chat(body, { key })).text();
      const call = await lastCall(gateway);
      assert.deepEqual(call.terms, paid === undefined ? undefined : { serviceTier: paid });
      const output = { priority: 800, flex: 100, usual: 200 }[paid ?? "usual"];
      assert.equal(call.costE8, BigInt(10 * 100 + 10 * output));
      assert.deepEqual((await verifyLedger.run(gateway.admin, {})).differences, []);
    });
  }
}

Deno.test("a tier that a route does not pass on is not sold, and one that it sets is", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const rules = [
    ["drop: [service_tier]", 200],
    ["set: { service_tier: priority }", 800],
    ["set: { service_tier: default }", 200],
    ["default: { service_tier: flex }", 800],
  ] as const;
  for (const [rule, output] of rules) {
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi", usage)));
    const written = catalogue(upstream.url).replace(
      "provider: a\n",
      `provider: a\n        ${rule}\n`,
    );
    await using gateway = await startTestGateway({ catalogue: written });
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    await (await gateway.chat({ ...ask, service_tier: "priority" }, { key })).text();
    assert.equal((await lastCall(gateway)).costE8, BigInt(10 * 100 + 10 * output), rule);
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", input: "Hello", service_tier: "priority" }),
    });
    assert.equal(response.status, 200, await response.text());
    assert.equal((await lastCall(gateway)).costE8, BigInt(10 * 100 + 10 * output), rule);
  }
});

Deno.test("a tier that is longer than any price can name is not stored", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const body = { ...answerBody("Hi", usage), service_tier: "p".repeat(65) };
  await using upstream = await startFakeUpstream(jsonReply(body));
  await using gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
  await gateway.credit("paying", "10");
  const response = await gateway.chat(ask, { key: await gateway.key("paying") });
  assert.match(await response.text(), /"sale_amount":"0\.00006000"/);
  assert.equal((await lastCall(gateway)).terms, undefined);
});
