/**
 * The output limit of a call on a route: which fields carry it, and what the
 * route's own rules make of what its caller asked for.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { BodyRules, Route, Supports } from "../domain/catalogue.ts";
import { isObject } from "../domain/json_value.ts";
import { CHAT_LIMIT_FIELDS } from "./openai_chat/schemas.ts";
import { wordsOf } from "./request_words.ts";

/** A limit as it goes to an upstream. */
export interface RouteLimit {
  /** Output tokens of each choice; `undefined` when nobody set any. */
  readonly tokens: number | undefined;
  /** Whether the upstream may be told any: not where the route drops every name of it. */
  readonly isSent: boolean;
}

/**
 * What the route sets, else what the caller asked for, else the route's default. All names
 * of the limit mean the same: what the caller said under one takes the place of a default
 * under another, and gives way to what is set under another. Of two under two names the
 * smaller one holds.
 */
export function limitOnRoute(
  { body, supports }: Pick<Route, "body" | "supports">,
  { capability, asked }: { readonly capability: Capability; readonly asked: number | undefined },
): RouteLimit {
  const fields = isNativeOn(supports, capability)
    ? wordsOf(capability).limitFields
    : CHAT_LIMIT_FIELDS;
  return {
    tokens: leastOf(body.set, fields) ?? inObject(body.set) ?? asked ??
      leastOf(body.default, fields) ?? inObject(body.default),
    isSent: body.drop.length === 0 ||
      (fields.some((field) => !body.drop.includes(field)) && !isObjectDropped(body)),
  };
}

/** Where upstreams whose dialect no caller speaks have it: in an object, under a name there. */
const OBJECTS = [
  ["generationConfig", "maxOutputTokens"],
  ["inferenceConfig", "maxTokens"],
] as const;

function inObject(values: BodyRules["set"]): number | undefined {
  for (const [object, field] of OBJECTS) {
    const inner = values[object];
    const tokens = isObject(inner) ? leastOf(inner, [field]) : undefined;
    if (tokens !== undefined) return tokens;
  }
  return undefined;
}

function isObjectDropped({ drop }: BodyRules): boolean {
  return OBJECTS.some((names) => names.some((name) => drop.includes(name)));
}

/** Whether a route is asked for a capability in its own dialect; in chat's if not. */
export function isNativeOn(supports: Supports, capability: Capability): boolean {
  const { nativeBy } = wordsOf(capability);
  return nativeBy === undefined || supports[nativeBy] === true;
}

function leastOf(values: BodyRules["set"], fields: readonly string[]): number | undefined {
  let least: number | undefined;
  for (const field of fields) {
    const value = values[field];
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1) continue;
    if (least === undefined || value < least) least = value;
  }
  return least;
}
