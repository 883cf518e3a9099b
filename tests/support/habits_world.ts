/**
 * A gateway with models of several routes, asked as OpenRouter's callers do.
 *
 * @module
 */

import { answerBody, chunk, finishChunk, usageChunk } from "./chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "./fake_upstream.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

/** A short conversation. */
export const HELLO = { messages: [{ role: "user", content: "Hello" }] };

/** Model `big` at providers a (2/4), b (10/20) and c (4/8, drops a field); `small` at b alone (1/1). */
function catalogue({ url }: FakeUpstream): string {
  const provider = (id: string) =>
    `  - { id: ${id}, kind: openai_compatible, base_url: "${url}/${id}/v1", auth: none }`;
  const route = (id: string, upstream: string, rest: string) =>
    `      - { id: ${id}, provider: ${id[0]}, upstream_model: ${upstream}, ${rest} }`;
  return `
currency: USD
providers:
${["a", "b", "c"].map(provider).join("\n")}
models:
  - id: big
    kind: chat
    aliases: ["kept:free"]
    routes:
${route("a/big", "big-a", 'cost: { input: "1", output: "2" }, sale: { markup: "2" }')}
${route("b/big", "big-b", 'sale: { input: "10", output: "20", request: "0.01" }')}
${
    route(
      "c/big",
      "big-c",
      'sale: { input: "4", output: "8" }, drop: [seed], supports: { tools: true }',
    )
  }
  - id: small
    kind: chat
    routes:
${route("b/small", "small-b", 'sale: { input: "1", output: "1" }')}
  - id: fixed
    kind: chat
    manual_selection: false
    routes:
${route("a/fixed", "fixed-a", "free: true")}
  - id: secret
    kind: chat
    routes:
${route("a/secret", "secret-a", "free: true")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false, models: [big, small] }
`;
}

/** A gateway over such an upstream. */
export interface World {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  /** Upstream models asked since the last look. */
  asked(): readonly string[];
  /** Status and body of an answer, or the error. */
  ask(body: object, key?: string): Promise<Told>;
}

// deno-lint-ignore no-explicit-any -- answers and errors, read as they come
export type Told = any;

/** Upstream models in `down` answer 500. */
export async function withWorld(
  run: (world: World) => Promise<void>,
  down: ReadonlySet<string> = new Set(),
): Promise<void> {
  const seen: string[] = [];
  await using upstream = await startFakeUpstream((request): Reply => {
    const { model, stream } = JSON.parse(request.body);
    seen.push(model);
    if (down.has(model)) return jsonReply({ error: { message: "broken" } }, { status: 500 });
    return stream === true
      ? sseReply([chunk({ content: "Hi" }), finishChunk(), usageChunk(10, 5)])
      : jsonReply(answerBody("Hi"));
  });
  await using gateway = await startTestGateway({ catalogue: catalogue(upstream) });
  await run({
    gateway,
    upstream,
    asked: () => seen.splice(0),
    async ask(body, key) {
      const response = await gateway.chat({ ...HELLO, ...body }, { key });
      return { status: response.status, ...await response.json() };
    },
  });
}
