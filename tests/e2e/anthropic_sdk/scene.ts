/**
 * What the scenarios of Anthropic's clients work with.
 *
 * @module
 */

import type * as one from "anthropic1";
import type { FakeUpstream } from "../../support/fake_upstream.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";

/** Both majors have the parts that are used here in common. */
export type Sdk = typeof one;
/** A client of either major. */
export type Client = InstanceType<Sdk["Anthropic"]>;

/** What a scenario works with. */
export interface Scene {
  readonly sdk: Sdk;
  readonly gateway: ServedGateway;
  readonly upstream: FakeUpstream;
  /** Of the project `paying`, which has credit. */
  readonly client: Client;
  /** A client with another key. */
  clientOf(apiKey: string): Client;
}

/** One scenario. */
export interface Scenario {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<void>;
}

/** Models for upstreams that are in trouble: each has a route of its own, which then rests. */
export const SPARES = ["spare-1", "spare-2", "spare-3", "busy"] as const;

/** A catalogue of models over the upstream, in its own dialect. */
export function nativeCatalogue(url: string): string {
  return `
currency: USD
providers:
  - id: claude
    kind: anthropic
    base_url: "${url}"
    api_key: env:CLAUDE_KEY
    timeouts: { idle_ms: 3000 }
  - { id: box, kind: openai_compatible, base_url: "${url}/v1" }
models:
  - id: glm
    kind: chat
    routes:
      - id: box/glm
        provider: box
        upstream_model: glm-up
        cost: { input: "1", cached_input: "0.1", output: "2" }
        sale: { markup: "1" }
  - id: both
    kind: chat
    routes:
      - id: box/both
        provider: box
        upstream_model: glm-up
        sale: { free: true }
      - id: claude/both
        provider: claude
        upstream_model: claude-upstream
        cost:
          input: "1"
          output: "2"
          when: [{ speed: fast, input: "10", output: "50" }]
        sale: { markup: "1" }${["sonnet", ...SPARES].map(modelText).join("")}
projects:
  - { id: paying, models: ["*"] }
  - { id: poor, models: ["*"] }
`;
}

function modelText(id: string): string {
  return `
  - id: ${id}
    kind: chat
    aliases: [claude-${id}-9]
    routes:
      - id: claude/${id}
        provider: claude
        upstream_model: claude-upstream
        supports: { max_output_tokens: 64000, context_tokens: 1000000 }
        cost:
          input: "2"
          cache_write: "2.50"
          cache_write_1h: "4"
          cached_input: "0.10"
          output: "10"
          reasoning: "10.5"
        sale: { markup: "1.5" }`;
}

/** A request for a short answer. */
export const HELLO = {
  model: "sonnet",
  max_tokens: 1_000,
  messages: [{ role: "user" as const, content: "Hello there!" }],
};

/** The gateway's additions to an answer. */
export interface Additions {
  readonly provider?: string;
  readonly route?: string;
  readonly pricing?: { readonly currency: string; cost_amount: string; sale_amount: string };
}

/** Of a whole answer, or of the last `message_delta`. */
export function additionsOf(answer: unknown): Additions {
  const { provider, route, pricing } = answer as Additions;
  return { provider, route, pricing } as Additions;
}
