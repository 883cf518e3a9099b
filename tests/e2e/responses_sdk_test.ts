/**
 * The Responses API through the official `openai` clients, unmodified, against the
 * program: every scenario runs with both majors. What they receive is checked against
 * OpenAI's own schemas.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as six from "openai6";
import * as seven from "openai7";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import type { Sdk } from "./openai_sdk/scene.ts";
import { ANSWERS } from "./responses_sdk/answers.ts";
import { BACKGROUND } from "./responses_sdk/background.ts";
import { KEPT_ANSWERS } from "./responses_sdk/kept_answers.ts";
import { REFUSALS } from "./responses_sdk/refusals.ts";
import { SAME_ANSWERS } from "./responses_sdk/same_answers.ts";
import { catalogue, type Scene } from "./responses_sdk/scene.ts";
import { STREAMS } from "./responses_sdk/streams.ts";
import { TOOLS } from "./responses_sdk/tools.ts";

const MAJORS: readonly { readonly name: string; readonly sdk: Sdk }[] = [
  { name: "openai 6", sdk: six as unknown as Sdk },
  { name: "openai 7", sdk: seven },
];

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client has answers of the Responses API`, async (test) => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    await using gateway = await serveGateway({ catalogue: catalogue(upstream) });
    await gateway.cli("projects", "credit", "payer", "10");
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
    for (
      const { name: scenario, run } of [
        ...ANSWERS,
        ...STREAMS,
        ...TOOLS,
        ...KEPT_ANSWERS,
        ...BACKGROUND,
        ...SAME_ANSWERS,
        ...REFUSALS,
      ]
    ) {
      await test.step(scenario, () => run(scene));
    }
    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    const { code, stderr } = await gateway.server.stop();
    assert.equal(code, 0);
    assert.ok(!stderr.includes(key), "the log has the key");
    assert.doesNotMatch(stderr, /Hello there|internal_error|TypeError/);
  });
}
