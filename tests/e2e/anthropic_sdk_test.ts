/**
 * Anthropic's official clients, unmodified, against the program: every scenario runs with both
 * majors.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as zero from "anthropic0";
import * as one from "anthropic1";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { jsonReply } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { CHAT_REQUESTS } from "./anthropic_sdk/chat_requests.ts";
import { HARDSHIPS } from "./anthropic_sdk/hardships.ts";
import { NATIVE_ANSWERS } from "./anthropic_sdk/native_answers.ts";
import { OVER_CHAT } from "./anthropic_sdk/over_chat.ts";
import { nativeCatalogue, type Scene, type Sdk } from "./anthropic_sdk/scene.ts";

const MAJORS: readonly (readonly [name: string, sdk: Sdk])[] = [
  ["0.137", zero as unknown as Sdk],
  ["1.12", one],
];

for (const [name, sdk] of MAJORS) {
  Deno.test(`the @anthropic-ai/sdk ${name} client`, async (test) => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    const env = { CLAUDE_KEY: "sk-ant-upstream-secret" };
    await using gateway = await serveGateway({
      env,
      catalogue: nativeCatalogue(upstream.url.replace(/\/v1$/, "")),
    });
    await gateway.credit("paying", "100");
    const clientOf = (apiKey: string) =>
      new sdk.Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
    const scene: Scene = {
      sdk,
      gateway,
      upstream,
      client: clientOf(await gateway.key("paying")),
      clientOf,
    };
    for (const { name, run } of [...NATIVE_ANSWERS, ...HARDSHIPS, ...OVER_CHAT, ...CHAT_REQUESTS]) {
      await test.step(name, () => run(scene));
    }
    // Every settled amount is what its stored work costs.
    assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  });
}
