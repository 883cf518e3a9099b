/**
 * Several keys of one provider under the load of two projects: one that serves, one revoked,
 * one exhausted, one at its rate.
 *
 * @module
 */

import assert from "node:assert/strict";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";

const NAMES = ["REVOKED", "EXHAUSTED", "LIMITED", "GOOD"] as const;
const SECRETS = Object.fromEntries(NAMES.map((name) => [name, `${name}-key-0123456789`]));
const PROJECTS = ["one", "two"];
const CALLS = 60;
const AT_ONCE = 6;
/** What a call is sold for: 10 tokens in, 5 out. */
const SALE_E8 = 10n * 200n + 5n * 400n;

function catalogue(url: string): string {
  return `
currency: USD
providers:
  - { id: a, kind: openai_compatible, base_url: "${url}", api_key: [${
    NAMES.map((name) => `"env:${name}"`).join(", ")
  }] }
models:
  - id: m
    kind: chat
    routes:
      - { id: a/m, provider: a, upstream_model: m, cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" } }
projects:
  - { id: one, unlimited: false }
  - { id: two, unlimited: false }
`;
}

/** An upstream that knows its keys; requests with "special" are too many for all of them. */
async function bench() {
  const asked = new Map<string, number>();
  let served = 0;
  let turns = 0;
  const wait = (seconds: string): Reply =>
    jsonReply({}, { status: 429, headers: { "retry-after": seconds } });
  const upstream = await startFakeUpstream(({ head, body }): Reply => {
    const name = /authorization: Bearer (\w+)-key/i.exec(head)?.[1] ?? "none";
    asked.set(name, (asked.get(name) ?? 0) + 1);
    if (name === "REVOKED") {
      return jsonReply({ error: { code: "invalid_api_key", message: "no" } }, { status: 401 });
    }
    if (name === "EXHAUSTED") {
      return jsonReply({ error: { code: "insufficient_quota", message: "no" } }, { status: 429 });
    }
    if (body.includes("special")) return wait("300");
    if (name === "LIMITED" && turns++ % 2 === 1) return wait("1");
    served++;
    return body.includes('"stream":true')
      ? sseReply([
        chunk({ role: "assistant", content: "Hi" }),
        finishChunk(),
        usageChunk(10, 5),
        "[DONE]",
      ])
      : jsonReply(answerBody("Hi"));
  });
  const gateway = await startTestGateway({ catalogue: catalogue(upstream.url), secrets: SECRETS });
  const keys = new Map<string, string>();
  for (const project of PROJECTS) {
    await gateway.credit(project, "10");
    keys.set(project, await gateway.key(project));
  }
  return {
    gateway,
    asked,
    served: () => served,
    async ask(project: string, content = "Hello", stream = false): Promise<number> {
      const body = { model: "m", stream, messages: [{ role: "user", content }] };
      const response = await gateway.chat(body, { key: keys.get(project)! });
      const text = await response.text();
      assert.doesNotMatch(text, /-key-0123456789/);
      if (stream && response.status === 200) assert.match(text, /data: \[DONE\]/);
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

Deno.test("two projects are served by what works of four keys, each call once", async () => {
  await using world = await bench();
  const { gateway, asked, served, ask } = world;
  const statuses = (await Promise.all(
    PROJECTS.flatMap((project) =>
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        const seen: number[] = [];
        for (let call = 0; call < CALLS / AT_ONCE; call++) {
          seen.push(await ask(project, "Hello", (worker + call) % 2 === 0));
        }
        return seen;
      })
    ),
  )).flat();
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(served(), PROJECTS.length * CALLS);
  for (const name of ["REVOKED", "EXHAUSTED"]) {
    assert.equal(asked.get(name)! <= PROJECTS.length * AT_ONCE, true, `${name} rests`);
    const told = gateway.log().split(`"key":"env:${name}"`).length - 1;
    assert.equal(told, 1, `${name} is told of once`);
  }
  await gateway.admin.commits.flush();
  for (const project of PROJECTS) {
    const { avail, held } = gateway.admin.ledger.balanceOf(project);
    assert.deepEqual([avail, held], [10_00000000n - BigInt(CALLS) * SALE_E8, 0n]);
  }
  assert.deepEqual(
    (await runOperation(verifyLedger, { deps: gateway.admin, input: {} })).differences,
    [],
  );
  assert.equal(gateway.admin.health.isDown("a/m"), false);
});

Deno.test("what one project asks too much of every key takes no key from the other", async () => {
  await using world = await bench();
  const { ask, asked, gateway } = world;
  assert.equal(await ask("one"), 200);
  assert.equal(await ask("one", "special"), 503);
  const before = new Map(asked);
  for (let call = 0; call < 20; call++) assert.equal(await ask("two"), 200);
  for (const name of ["LIMITED", "GOOD"]) {
    assert.equal(asked.get(name)! > (before.get(name) ?? 0), true, `${name} is in use`);
  }
  assert.equal(await ask("one", "special"), 503);
  assert.equal(asked.get("GOOD")! - before.get("GOOD")! <= 20, true, "it waits as it was told");
  assert.equal(gateway.admin.health.coolingUntil("a/m", "two"), 0);
});
