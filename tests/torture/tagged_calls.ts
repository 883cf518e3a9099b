/**
 * Calls whose rows in the books say by themselves which calls they are, also when no answer did: the
 * limit of a call's output is its tag, and nothing but output costs anything, so that what a call
 * holds is its tag as well.
 *
 * @module
 */

import { scriptPrompt, type UpstreamAct } from "../support/fault_upstream/upstream_script.ts";
import type { CallRow } from "./books/book_rows.ts";

/** Sale price of an output token in 1e-8: 2 for a million. */
const TOKEN_E8 = 200n;
const FIRST_LIMIT = 1_000;

/** A model `m` of which output alone costs something, and a project `paying`. */
export function taggedCatalogue(url: string): string {
  return `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: remote/m, provider: remote, upstream_model: m, cost: { input: "0", output: "1" }, sale: { input: "0", output: "2" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

/** The body of a tagged call. */
export function taggedBody(
  tag: number,
  { stream, act }: { readonly stream: boolean; readonly act: UpstreamAct },
): object {
  return {
    model: "m",
    stream,
    max_tokens: FIRST_LIMIT + tag,
    messages: [{ role: "user", content: scriptPrompt({ tag, acts: [act] }) }],
  };
}

/** The tag of a call's row. */
export function tagOf({ held }: CallRow): number {
  return Number(held / TOKEN_E8) - FIRST_LIMIT;
}

/** What so many output tokens cost. */
export function priceOf(tokens: number): bigint {
  return BigInt(tokens) * TOKEN_E8;
}
