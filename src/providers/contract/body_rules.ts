/**
 * What a route changes about a caller's body: a field's `default` where there is none, then `set`,
 * and at last what it has to `drop`. Whatever a dialect or the gateway itself says stands between.
 *
 * @module
 */

import type { BodyRules } from "../../domain/catalogue.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { matchesAny } from "../../domain/name_patterns.ts";

/** Fields that are always the gateway's own. */
const OWN_FIELDS: readonly string[] = ["model", "stream"];

/** Types of tools that their callers run, in any dialect. */
const CALLERS_TOOLS: ReadonlySet<string> = new Set(["function", "custom", "namespace"]);

/** Whether a route changes bodies at all. */
export function hasRules({ set, default: defaults, drop, dropTools }: BodyRules): boolean {
  for (const _field in set) return true;
  for (const _field in defaults) return true;
  return drop.length > 0 || dropTools !== undefined;
}

/** Puts `default` and `set` into a body. */
export function applyRules(body: JsonObject, rules: BodyRules): void {
  for (const field in rules.default) {
    if (body[field] === undefined) body[field] = rules.default[field];
  }
  Object.assign(body, rules.set);
}

/** Takes out what is to be dropped, but for what is the gateway's own. */
export function dropFields(
  body: JsonObject,
  { drop, dropTools }: BodyRules,
  own = OWN_FIELDS,
): void {
  for (const field of drop) {
    if (!own.includes(field)) delete body[field];
  }
  if (dropTools !== undefined) dropListedTools(body, dropTools);
}

/** Of tools each has a type, in the dialects whose upstreams run some; a choice of one goes with it. */
function dropListedTools(body: JsonObject, patterns: readonly string[]): void {
  const isDropped = (tool: unknown) => {
    const type = isObject(tool) ? tool.type : undefined;
    return typeof type === "string" && !CALLERS_TOOLS.has(type) && matchesAny(patterns, type);
  };
  const { tools } = body;
  if (!Array.isArray(tools) || !tools.some(isDropped)) return;
  const left = tools.filter((tool) => !isDropped(tool));
  body.tools = left;
  if (isDropped(body.tool_choice)) delete body.tool_choice;
  if (left.length > 0) return;
  delete body.tools;
  delete body.tool_choice;
}

/**
 * Says an output limit once, whatever names the caller and the rules have said it under. A name
 * that a rule has is known, one that is dropped is not; else it is the usual one. Only what is there
 * and has to go is deleted: an object with a field deleted is slow from then on.
 */
export function setLimit(
  body: JsonObject,
  tokens: number,
  { rules, names, usual }: {
    readonly rules: BodyRules;
    /** Every name of the limit in the dialect. */
    readonly names: readonly string[];
    readonly usual: string;
  },
): void {
  const isTaken = (field: string) => !rules.drop.includes(field);
  const isNamed = (field: string) =>
    isTaken(field) && (field in rules.set || field in rules.default);
  const isAnyNamed = names.some(isNamed);
  const only = isTaken(usual) ? usual : names.find(isTaken);
  for (const field of names) {
    if (isAnyNamed ? isNamed(field) : field === only) body[field] = tokens;
    else if (field in body) delete body[field];
  }
}
