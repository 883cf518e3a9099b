/**
 * A gateway as Claude Code is given one: a model over an upstream of Anthropic's dialect, and one
 * over an upstream that has chat alone.
 *
 * @module
 */

import { type FakeUpstream, startFakeUpstream } from "../../support/fake_upstream.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { codingModel } from "./coding_model.ts";

/** The models, by what their upstream speaks. */
export const MODELS = {
  over_messages: "claude-sonnet-5-5",
  over_chat: "claude-via-box",
} as const;

export interface Scene extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly gateway: ServedGateway;
  readonly key: string;
}

/** Starts it; the upstream's model mends a file. */
export async function codingScene(file: string): Promise<Scene> {
  const upstream = await startFakeUpstream(codingModel(file));
  const gateway = await serveGateway({
    env: { CLAUDE_KEY: "sk-ant-upstream-secret" },
    catalogue: catalogue(upstream.url.replace(/\/v1$/, "")),
  });
  await gateway.credit("dev", "10");
  return {
    upstream,
    gateway,
    key: await gateway.key("dev"),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream.stop();
    },
  };
}

function catalogue(url: string): string {
  return `
currency: USD
providers:
  - { id: claude, kind: anthropic, base_url: "${url}", api_key: env:CLAUDE_KEY }
  - { id: box, kind: openai_compatible, base_url: "${url}/v1" }
models:
  - id: ${MODELS.over_messages}
    kind: chat
    aliases: [claude-haiku-4-5-20251001]
    routes:
      - id: claude/sonnet
        provider: claude
        upstream_model: claude-upstream
        cost: { input: "3", cached_input: "0.3", cache_write: "3.75", output: "15" }
        sale: { markup: "1" }
  - id: ${MODELS.over_chat}
    kind: chat
    routes:
      - id: box/model
        provider: box
        upstream_model: box-model
        cost: { input: "1", output: "2" }
        sale: { markup: "1" }
projects:
  - { id: dev, models: ["*"] }
`;
}
