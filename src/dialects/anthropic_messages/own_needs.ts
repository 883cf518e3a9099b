/**
 * What a request needs that only upstreams of this dialect have.
 *
 * @module
 */

import { asArray, asCount, asObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";

/** Fields without which an answer would be another one; what they may say all the same. */
const NEEDED: ReadonlyMap<string, unknown> = new Map([
  ["container", undefined],
  ["mcp_servers", undefined],
  ["fallbacks", undefined],
  ["fallback_credit_token", undefined],
  ["compaction", undefined],
  ["billing_policy", undefined],
  ["speed", "standard"],
  ["inference_geo", "global"],
]);

/** Names of the fields that only such upstreams can keep to. */
export function ownFields(body: Readonly<JsonObject>): readonly string[] {
  const fields: string[] = [];
  for (const [field, plain] of NEEDED) {
    if (isSaid(body[field]) && body[field] !== plain) fields.push(field);
  }
  return fields;
}

/** The types of the tools that callers cannot describe to another model. */
export function serverToolsOf({ tools }: Readonly<JsonObject>): readonly string[] {
  return asArray(tools).flatMap((tool) => {
    const type = asObject(tool)?.type;
    return typeof type === "string" && type !== "custom" ? [type.slice(0, 64)] : [];
  });
}

/** Those that callers run, whoever has described them. */
const RUN_BY_CALLERS = /^(?:bash|text_editor|computer|memory)_/;

/** Whether a tool is offered that an upstream runs, and whose results the model reads. */
export function isFetching(body: Readonly<JsonObject>): boolean {
  return serverToolsOf(body).some((type) => !RUN_BY_CALLERS.test(type));
}

/** Searches of a request that names no bound for them: its upstream stops after about so many. */
const USUAL_SEARCHES = 10;
/** More than any answer makes. */
const MOST_SEARCHES = 1_000;

/** How many searches of the web it allows at most. */
export function mostSearches({ tools }: Readonly<JsonObject>): number {
  let searches = 0;
  for (const tool of asArray(tools)) {
    const { type, max_uses } = asObject(tool) ?? {};
    if (typeof type !== "string" || !type.startsWith("web_search_")) continue;
    searches += Math.min(asCount(max_uses) ?? USUAL_SEARCHES, MOST_SEARCHES);
  }
  return searches;
}

/** The first thing that decides about a route: tools may be left out, the rest may not. */
export function ownNeed(body: Readonly<JsonObject>): RequestFacts["ownOnly"] {
  const what = needOf(body);
  if (what !== undefined) return { dialect: ANTHROPIC_MESSAGES, what };
  const tools = serverToolsOf(body);
  if (tools.length === 0) return undefined;
  return { dialect: ANTHROPIC_MESSAGES, what: `the tool '${tools[0]}'`, tools };
}

function needOf(body: Readonly<JsonObject>): string | undefined {
  if (isSaid(body.thread)) return "'thread'";
  if (body.max_tokens === 0) return "'max_tokens' of 0, which fills a prompt cache";
  const [field] = ownFields(body);
  if (field !== undefined) return `'${field}'`;
  // A last message that begins the answer.
  return asObject(asArray(body.messages).at(-1))?.role === "assistant"
    ? "a last message of the assistant's, which begins the answer"
    : undefined;
}

/** Whether a field asks for anything. */
export function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
