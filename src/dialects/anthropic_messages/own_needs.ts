/**
 * What a request needs that only upstreams of this dialect have.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";
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

/** The type of a tool that callers cannot describe to another model. */
export function serverToolOf({ tools }: Readonly<JsonObject>): string | undefined {
  for (const tool of asArray(tools)) {
    const type = asObject(tool)?.type;
    if (typeof type === "string" && type !== "custom") return type.slice(0, 64);
  }
  return undefined;
}

/** The first thing that decides about a route. */
export function ownNeed(body: Readonly<JsonObject>): RequestFacts["ownOnly"] {
  const what = needOf(body);
  return what === undefined ? undefined : { dialect: ANTHROPIC_MESSAGES, what };
}

function needOf(body: Readonly<JsonObject>): string | undefined {
  const tool = serverToolOf(body);
  if (tool !== undefined) return `the tool '${tool}'`;
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
