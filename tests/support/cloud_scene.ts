/**
 * A served gateway in front of a cloud that is scripted, with one price for all of its models, and a
 * project that pays.
 *
 * @module
 */

import { type FakeUpstream, type Script, startFakeUpstream } from "./fake_upstream.ts";
import { type ServedGateway, serveGateway } from "./served_gateway.ts";

/** What every call asks. */
export const HELLO = [{ role: "user" as const, content: "Hello" }];

/** Of 60 tokens, 40 cached ones and 10 of output: 60 · 1 + 40 · 0.1 + 10 · 10, per million. */
export const PRICE = "0.00016400";

/** A model at a provider, under a name that OpenAI's and one that Anthropic's clients ask for. */
export function cloudModel(provider: string, id: string, upstreamModel: string): string {
  return `
  - id: ${id}
    kind: chat
    aliases: [claude-${id}]
    routes:
      - id: ${provider}/${id}
        provider: ${provider}
        upstream_model: "${upstreamModel}"
        cost: { input: "1", cached_input: "0.1", output: "10" }
        sale: { markup: "1" }`;
}

/** A cloud and the gateway before it. `await using` ends both. */
export interface CloudScene extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  /** Of the cloud, without a path. */
  readonly origin: string;
  readonly gateway: ServedGateway;
  /** Of the project `paying`, which has a balance of 10. */
  readonly apiKey: string;
}

/** @param catalogue By the cloud's origin. */
export async function openCloudScene(
  reply: Script,
  { env, catalogue }: {
    readonly env: Readonly<Record<string, string>>;
    readonly catalogue: (origin: string) => string;
  },
): Promise<CloudScene> {
  const upstream = await startFakeUpstream(reply);
  const origin = upstream.url.replace(/\/v1$/, "");
  const gateway = await serveGateway({ env, catalogue: catalogue(origin) });
  await gateway.credit("paying", "10");
  return {
    upstream,
    origin,
    gateway,
    apiKey: await gateway.key("paying"),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream.stop();
    },
  };
}

/** What an answer says that it cost. */
export function priceOf(answer: unknown): string | undefined {
  return (answer as { pricing?: { cost_amount: string } }).pricing?.cost_amount;
}
