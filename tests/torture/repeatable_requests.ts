/**
 * Requests of every kind that may be repeated under an `Idempotency-Key`, and what must hold of those
 * that are equal.
 *
 * @module
 */

import type { FaultUpstream } from "../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../support/fault_upstream/upstream_script.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import { FILM_E8, saleOf } from "./model/mixed_catalogue.ts";
import type { RowFinding } from "./row_finding.ts";

const USAGE = { prompt: 30, completion: 200 };

/** A kind of request that may be repeated. */
export interface Repeatable {
  readonly name: string;
  readonly path: string;
  /** The body of a request; `change` makes it another one. */
  readonly body: (prompt: string, change: number) => object;
  readonly charge: bigint;
  /** Whether an upstream is asked, whose log tells how often. */
  readonly isRemote: boolean;
}

const CHAT_E8 = saleOf("remote/chat", USAGE.prompt, USAGE.completion);

/** Models and prices are those of `mixedCatalogue`. */
export const REPEATABLE: readonly Repeatable[] = [false, true].flatMap((stream): Repeatable[] => [
  {
    name: stream ? "chat stream" : "chat",
    path: "/chat/completions",
    body: (content, change) => ({
      model: "chat",
      stream,
      max_tokens: 400 + change,
      messages: [{ role: "user", content }],
    }),
    charge: CHAT_E8,
    isRemote: true,
  },
  {
    name: stream ? "responses stream" : "responses",
    path: "/responses",
    body: (input, change) => ({ model: "chat", stream, max_output_tokens: 400 + change, input }),
    charge: CHAT_E8,
    isRemote: true,
  },
]).concat([
  {
    name: "embeddings",
    path: "/embeddings",
    body: (input, change) => ({ model: "embed", input: [...Array(change).fill("more"), input] }),
    charge: saleOf("remote/embed", USAGE.prompt, 0),
    isRemote: true,
  },
  {
    name: "films",
    path: "/videos",
    body: (_, change) => ({ model: "film", prompt: `kite ${change}`, size: "64x64", seconds: "1" }),
    charge: FILM_E8,
    isRemote: false,
  },
]);

/** How one of them is answered. */
export interface RepeatableAnswer {
  readonly status: number;
  /** Without comments, which only keep a stream alive. */
  readonly text: string;
  readonly isRepeated: boolean;
}

/** What the upstream does before it answers: with the first attempt, the second …; the last repeats. */
export function repeatablePrompt(tag: number, acts: readonly UpstreamAct[] = [{}]): string {
  return scriptPrompt({ tag, acts: acts.map((act) => ({ delayMs: 30, usage: USAGE, ...act })) });
}

/** Sends one, under the `Idempotency-Key` of that name. */
export async function postRepeatable(
  gateway: ServedGateway,
  { path, body }: Repeatable,
  { key, name, prompt, change = 0 }: {
    readonly key: string;
    readonly name: string;
    readonly prompt: string;
    readonly change?: number;
  },
): Promise<RepeatableAnswer> {
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: {
      "authorization": `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": name,
    },
    body: JSON.stringify(body(prompt, change)),
  });
  return {
    status: response.status,
    text: (await response.text()).replace(/^: keepalive\n\n/gm, ""),
    isRepeated: response.headers.get("idempotent-replayed") === "true",
  };
}

/** Requires that all are answered alike. */
export function requireEqual(
  found: RowFinding,
  { name }: Repeatable,
  answers: readonly RepeatableAnswer[],
): void {
  const [first] = answers;
  for (const { status, text } of answers) {
    found.require(
      status === 200 && text === first!.text,
      () => `${name}: one is answered ${status} ${text}, another ${first!.status} ${first!.text}`,
    );
  }
}

/** Requires that an upstream was asked so many times, where one is. */
export async function requireAsked(
  found: RowFinding,
  upstream: FaultUpstream,
  { kind, tag, times }: {
    readonly kind: Repeatable;
    readonly tag: number;
    readonly times: number;
  },
): Promise<void> {
  if (!kind.isRemote) return;
  await found.during("the upstream's attempts", () => upstream.ended());
  const calls = upstream.log.records.filter((record) => record.tag === tag).length;
  found.require(
    calls === times,
    `${kind.name}: the upstream was asked ${calls} times, not ${times}`,
  );
}
