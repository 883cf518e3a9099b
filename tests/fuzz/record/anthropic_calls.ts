/**
 * What Anthropic's clients send, plain and with everything that they can say.
 *
 * @module
 */

import type * as one from "anthropic1";
import { PNG } from "../generate/field_hints.ts";

export type AnthropicSdk = typeof one;

const HELLO = "Hello there";
const TOOL = {
  name: "get_weather",
  description: "Weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
};
const CACHED = { type: "ephemeral" as const };

/** Calls of a client, by what they are for. */
export function anthropicCalls(
  { Anthropic }: AnthropicSdk,
  options: { readonly baseURL: string; readonly apiKey: string },
): Readonly<Record<string, () => Promise<unknown>>> {
  const client = new Anthropic({ ...options, maxRetries: 0 });
  const plain = {
    model: "echo",
    max_tokens: 20,
    messages: [{ role: "user" as const, content: HELLO }],
  };
  return {
    messages: () => client.messages.create(plain),
    "messages stream": async () =>
      void await Array.fromAsync(await client.messages.create({ ...plain, stream: true })),
    "messages of tools": () =>
      client.messages.create({
        ...plain,
        system: [{ type: "text", text: "Be kind", cache_control: CACHED }],
        tools: [{ ...TOOL, cache_control: CACHED }],
        tool_choice: { type: "auto", disable_parallel_tool_use: true },
        messages: [
          { role: "user", content: HELLO },
          {
            role: "assistant",
            content: [
              { type: "text", text: "I look." },
              { type: "tool_use", id: "toolu_1", name: TOOL.name, input: { city: "Rome" } },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "toolu_1", content: "sunny" },
              { type: "text", text: "And now?", cache_control: CACHED },
            ],
          },
        ],
      }),
    "messages with an image": () =>
      client.messages.create({
        ...plain,
        model: "plain",
        messages: [{
          role: "user",
          content: [
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: PNG.toBase64() },
            },
            { type: "text", text: "What is it?" },
          ],
        }],
      }),
    "count of tokens": () =>
      client.messages.countTokens({ model: "echo", messages: plain.messages, tools: [TOOL] }),
    models: async () => void (await client.models.list()).data,
  };
}
