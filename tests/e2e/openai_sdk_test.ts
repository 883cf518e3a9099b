/**
 * The official `openai` clients, unmodified, against the program: every scenario
 * runs with both majors. What they receive is checked against OpenAI's own schemas.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as six from "openai6";
import * as seven from "openai7";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { PLAIN_ANSWERS } from "./openai_sdk/plain_answers.ts";
import { REFUSALS } from "./openai_sdk/refusals.ts";
import type { Scene, Sdk } from "./openai_sdk/scene.ts";
import { STREAMS } from "./openai_sdk/streams.ts";

const MAJORS: readonly { readonly name: string; readonly sdk: Sdk }[] = [
  { name: "openai 6", sdk: six as unknown as Sdk },
  { name: "openai 7", sdk: seven },
];

function catalogue(upstream: FakeUpstream): string {
  const price = `sale: { input: "2", output: "4" }, cost: { input: "1", output: "2" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: faulty, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
  - id: echo-1
    kind: chat
    aliases: [echo]
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, ${price} }]
  - id: slow
    kind: chat
    routes: [{ id: builtin/slow, provider: builtin, upstream_model: "echo-1:slow-60000", ${price} }]
  - id: cut
    kind: chat
    routes: [{ id: builtin/cut, provider: builtin, upstream_model: "echo-1:cut-3", ${price} }]
  - id: busy
    kind: chat
    routes: [{ id: builtin/busy, provider: builtin, upstream_model: "echo-1:status-503", ${price} }]
  - id: off
    kind: chat
    routes: [{ id: builtin/off, provider: builtin, upstream_model: echo-1, enabled: false, ${price} }]
  - id: remote
    kind: chat
    routes: [{ id: faulty/remote, provider: faulty, upstream_model: theirs, ${price} }]
  - id: vectors
    kind: embedding
    routes: [{ id: builtin/vectors, provider: builtin, upstream_model: hash-embed-1, free: true }]
projects:
  - { id: default, unlimited: true }
  - { id: single, unlimited: true, limits: { concurrent: 1 } }
  - { id: broke, unlimited: false }
`;
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client`, async (test) => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    await using gateway = await serveGateway({
      catalogue: catalogue(upstream),
      args: ["--max-json-body-bytes", "100000"],
    });
    const { key } = gateway.server;
    const baseURL = `${gateway.url}/v1`;
    const scene: Scene = {
      sdk,
      gateway,
      upstream,
      key,
      client: new sdk.OpenAI({ baseURL, apiKey: key }),
      counted(apiKey) {
        let sent = 0;
        const client = new sdk.OpenAI({
          baseURL,
          apiKey,
          fetch: (url: string | URL | Request, init?: RequestInit) => {
            sent++;
            return fetch(url, init);
          },
        });
        return { client, sent: () => sent };
      },
    };
    for (const { name: scenario, run } of [...PLAIN_ANSWERS, ...STREAMS, ...REFUSALS]) {
      await test.step(scenario, () => run(scene));
    }
    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    const { code, stderr } = await gateway.server.stop();
    assert.equal(code, 0);
    assert.equal(stderr.includes(key), false, "the log has the key");
    assert.doesNotMatch(stderr, /Hello there|internal_error|TypeError/);
  });
}
