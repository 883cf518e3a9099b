/**
 * A served gateway with prices and a project that pays, and what tests ask of its books.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type ServedGateway, serveGateway } from "./served_gateway.ts";

/** A call of the model at the upstream. */
export const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };

/** An amount of nothing. */
export const NONE = "0.00000000";

/** Models `m` and `e` at an upstream and `echo-1`, all priced; a project that pays and one that does not. */
export function pricedCatalogue(upstreamUrl: string): string {
  const price = `cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: remote/m, provider: remote, upstream_model: m, ${price} }]
  - id: e
    kind: embedding
    routes: [{ id: remote/e, provider: remote, ${price} }]
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, ${price} }]
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

/** A gateway with a project that pays from a balance of 10. */
export async function servePaying(upstreamUrl: string, args: readonly string[] = []) {
  const gateway = await serveGateway({ catalogue: pricedCatalogue(upstreamUrl), args });
  await gateway.credit("paying", "10");
  return { gateway, key: await gateway.key("paying") };
}

/** A stream of which the first text has arrived. */
export async function startStream(gateway: ServedGateway, key: string) {
  const response = await gateway.chat(key, { ...ask, stream: true });
  assert.equal(response.status, 200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Hi")) {
    const { value, done } = await reader.read();
    assert.equal(done, false, "the stream ended before its first text");
    text += value;
  }
  return {
    requestId: response.headers.get("x-request-id")!,
    async rest(): Promise<string> {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      return text;
    },
    /** The end of a stream whose server is gone. */
    async end(): Promise<void> {
      await reader.read().catch(() => {});
      await reader.cancel().catch(() => {});
    },
  };
}

/** What the server, or without one the command line, says of a project's money. */
export async function balanceOf(gateway: ServedGateway, project = "paying") {
  const { balance, held } = gateway.server.hasEnded
    ? await gateway.cli("projects", "show", project)
    : await gateway.admin("GET", `/projects/${project}`);
  return { balance, held };
}

/** `ledger verify` finds nothing, in the server or without one. */
export async function assertBooksAddUp(gateway: ServedGateway): Promise<void> {
  const { differences } = gateway.server.hasEnded
    ? await gateway.cli("ledger", "verify")
    : await gateway.admin("POST", "/ledger/verify", {});
  assert.deepEqual(differences, []);
}
