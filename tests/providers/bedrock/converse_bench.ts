/**
 * Converse in front of a fake upstream.
 *
 * @module
 */

import { systemClock } from "../../../src/domain/clock.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { createBedrock } from "../../../src/providers/bedrock/provider.ts";
import type { ProviderCall } from "../../../src/providers/contract/provider.ts";
import { serve, withConversions } from "../../../src/providers/serve.ts";
import { createCompletionIds } from "../../../src/dialects/base/completion_ids.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { type Reply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { chatRoute, never, providerSettings } from "../../support/provider_parts.ts";

/** A provider in front of an upstream that answers so. */
export async function bench(reply: Reply) {
  const upstream = await startFakeUpstream(reply);
  const transport = createTransport({ clock: systemClock });
  const made = createBedrock(
    providerSettings({
      kind: "bedrock",
      baseUrl: upstream.url.replace(/\/v1$/, ""),
      own: { aws_region: "us-east-1" },
    }),
    { transport, clock: systemClock, random: Math.random, secrets: () => "bedrock-key-0123" },
  );
  const provider = withConversions(made, {
    clock: systemClock,
    ids: createCompletionIds(Math.random),
  });
  return {
    upstream,
    made,
    answer: (call: ProviderCall) => serve("openai_chat").answer(provider, call, never()),
    stream: (call: ProviderCall) => serve("openai_chat").stream(provider, call, never()),
    messages: (call: ProviderCall) => serve("anthropic_messages").answer(provider, call, never()),
    async sent(call: ProviderCall): Promise<JsonObject> {
      await serve("openai_chat").answer(provider, call, never());
      return upstream.requests.at(-1)!.json();
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  };
}

export const CLAUDE = chatRoute({ upstreamModel: "us.anthropic.claude-haiku-4-5-20251001-v1:0" });

/** An answer in one piece, with a block of each kind. */
export const ANSWER = {
  output: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "Sig==" } } },
        { text: "Let me look." },
        { toolUse: { toolUseId: "tooluse_1", name: "bash", input: { command: "ls -l" } } },
      ],
    },
  },
  stopReason: "tool_use",
  usage: {
    inputTokens: 10,
    outputTokens: 20,
    cacheReadInputTokens: 3,
    cacheWriteInputTokens: 5,
    cacheDetails: [{ ttl: "1h", inputTokens: 2 }, { ttl: "T5M", inputTokens: 3 }],
    totalTokens: 38,
  },
};
