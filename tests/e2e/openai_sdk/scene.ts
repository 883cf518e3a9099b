/**
 * What the scenarios of the official clients work with, and what they all check.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import schemas from "../../fixtures/openai/chat_schemas.json" with { type: "json" };
import type { FakeUpstream } from "../../support/fake_upstream.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";

/** Both majors have the parts that are used here in common. */
export type Sdk = typeof seven;
/** A client of either major. */
export type Client = InstanceType<Sdk["OpenAI"]>;
/** A chunk of a stream. */
export type Chunk = seven.OpenAI.ChatCompletionChunk;

/** What a scenario works with. */
export interface Scene {
  readonly sdk: Sdk;
  readonly gateway: ServedGateway;
  readonly upstream: FakeUpstream;
  /** Of the project `default`. */
  readonly key: string;
  readonly client: Client;
  /** A client and the number of requests it has sent. */
  counted(apiKey: string): { readonly client: Client; readonly sent: () => number };
}

/** One scenario. */
export interface Scenario {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<void>;
}

/** A conversation, and what `echo-1` answers. */
export const hello = [{ role: "user" as const, content: "Hello there, gateway!" }];
export const ECHO = "You said: Hello there, gateway!";

/** A tool whose arguments are checked. */
export const WEATHER = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "The weather in a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string", minLength: 1 }, days: { type: "integer", minimum: 1 } },
      required: ["city", "days"],
      additionalProperties: false,
    },
  },
};

interface Additions {
  readonly provider: string;
  readonly route: string;
  readonly pricing: { currency: string; cost_amount: string; sale_amount: string };
}

/** Provider, route, usage and exact prices, as an SDK's user sees them. */
export function assertAdditions(answer: object): void {
  const { provider, route, usage, pricing } = answer as Additions & {
    usage: seven.OpenAI.CompletionUsage;
  };
  assert.equal(provider, "builtin");
  assert.equal(route, "builtin/echo-1");
  assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
  assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
  const units = BigInt(usage.prompt_tokens) + 2n * BigInt(usage.completion_tokens);
  assert.deepEqual(pricing, {
    currency: "USD",
    cost_amount: amount(units * 100n),
    sale_amount: amount(units * 200n),
  });
}

/** Units of 1e-8 as a decimal string. */
function amount(unitsE8: bigint): string {
  const digits = unitsE8.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** Every chunk of a stream, each checked. */
export async function collect(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const one of stream) {
    assertSatisfies(schemas, "CreateChatCompletionStreamResponse", one);
    assert.equal("error" in one, false);
    chunks.push(one);
  }
  return chunks;
}

/** The text of a stream's first choice. */
export function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}
