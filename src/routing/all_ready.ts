/**
 * What holds of all routes of a model alike, so that a usual request needs no look at what each of them is
 * made for.
 *
 * @module
 */

import type { Model } from "../domain/catalogue.ts";
import { isPriced } from "../domain/rates_for.ts";
import type { RequestFacts, SourceWishes } from "../domain/request_facts.ts";
import type { RouteQuestion } from "./route_request.ts";

/** What every route of a model does. */
interface InCommon {
  /** Whether it serves chat, is switched on and has a price. */
  readonly servesChat: boolean;
  readonly streams: boolean;
  readonly takesTools: boolean;
  readonly sees: boolean;
  readonly keepsSchemas: boolean;
  /** Tokens; of the least of them. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** A model is made anew with each change of it. */
const known = new WeakMap<Model, InCommon>();

/**
 * Whether no route of the model is refused for anything but its own limits. `false` where that is not seen
 * without a look at each of them: `refuseRoute` says so then.
 */
export function areAllReady(
  { model, wishes, facts, unserved, health }: RouteQuestion,
): boolean {
  if (health.isCalmOn?.(model.routes) !== true) return false;
  if (unserved.size > 0 && model.routes.some(({ id }) => unserved.has(id))) return false;
  if (facts.capability !== "chat" || model.kind !== "chat") return false;
  // A wildcard's is made for each name.
  if (hasWishes(wishes) || model.routes[0]?.isWildcard === true) return false;
  let common = known.get(model);
  if (common === undefined) known.set(model, common = inCommon(model));
  return common.servesChat && serves(common, facts);
}

function hasWishes(
  { provider, route, preference, excludeRiskLevels, providers }: SourceWishes,
): boolean {
  return provider !== undefined || route !== undefined || providers !== undefined ||
    preference === "official_only" || excludeRiskLevels.length > 0;
}

function serves(common: InCommon, facts: RequestFacts): boolean {
  if (facts.ownOnly !== undefined || (facts.serverTools?.length ?? 0) > 0) return false;
  if (facts.stream && !common.streams) return false;
  if (facts.tools && !common.takesTools) return false;
  if (facts.vision && !common.sees) return false;
  if (facts.jsonSchema && !common.keepsSchemas) return false;
  const output = facts.maxOutputTokens ?? 0;
  const prompt = facts.contextTokensEstimate ?? facts.promptTokensEstimate;
  return prompt + output <= common.contextTokens && output <= common.maxOutputTokens;
}

function inCommon({ kind, routes }: Model): InCommon {
  const least = (tokens: readonly (number | undefined)[]) =>
    Math.min(Infinity, ...tokens.map((one) => one ?? Infinity));
  return {
    servesChat: routes.every((route) =>
      route.enabled && !route.maintenance && route.supports.chat !== false && isPriced(route, kind)
    ),
    streams: routes.every(({ supports }) => supports.stream !== false),
    takesTools: routes.every(({ supports }) => supports.tools !== false),
    sees: routes.every(({ supports }) => supports.vision !== false),
    keepsSchemas: routes.every(({ supports }) => supports.jsonSchema !== false),
    contextTokens: least(routes.map(({ supports }) => supports.contextTokens)),
    maxOutputTokens: least(routes.map(({ supports }) => supports.maxOutputTokens)),
  };
}
