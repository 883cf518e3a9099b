/**
 * What keeps a route from serving a request: the first reason in a fixed order.
 *
 * @module
 */

import { capabilityOf, mayNeed } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { faultWords } from "../domain/upstream_error.ts";
import { likelyOutputTokens } from "../domain/likely_output.ts";
import { matchesAny } from "../domain/name_patterns.ts";
import { isPriced } from "../domain/rates_for.ts";
import { completionTokens, promptTokens } from "../domain/work.ts";
import type { RouteReason, RouteRefusal } from "../errors.ts";
import { listValues, videoMisfit } from "./video_misfit.ts";
import type { RouteQuestion } from "./route_request.ts";
import type { RequestFacts, SourceWishes } from "../domain/request_facts.ts";
import { namesSources, refuseByLists, refuseByTerms } from "./provider_wishes.ts";

/**
 * Tokens that a request reserves of a tokens-per-minute limit until its usage is
 * known: the estimated prompt and the likely output.
 */
export function reservedTokens(facts: RequestFacts): number {
  const { expected } = facts;
  const tokens = facts.promptTokensEstimate + likelyOutputTokens(facts);
  if (expected === undefined) return tokens;
  return tokens + promptTokens(expected.likely) + completionTokens(expected.likely);
}

/**
 * Why a route does not serve the request, or `undefined` when it may. The
 * constraints are applied in this order: provider, route, lists of these, official, risk level, the
 * most it may cost, what has to be kept of the request; what its
 * provider can do, endpoint, streaming, tools, vision, JSON schema, context, output, for a film its
 * size, seconds and further fields, priced (for a film: its size);
 * enabled, maintenance; cooling down or circuit open, capacity. That is: what
 * the caller asked for, what the request needs, what the operator switched off,
 * what passes by itself. A route is refused with the first one it meets, so a
 * later reason means that the route got further.
 */
export function refuseRoute(route: Route, question: RouteQuestion): RouteRefusal | undefined {
  return refuseByWishes(route, question) ??
    refuseUnserved(route, question) ??
    refuseByNeeds(route, question) ??
    refuseByState(route, question);
}

function refuseByWishes(route: Route, question: RouteQuestion): RouteRefusal | undefined {
  const { wishes, model } = question;
  const { providers } = wishes;
  if (!model.manualSelection && isSourceNamed(wishes)) {
    const reason = wishes.route === undefined ? "provider_not_requested" : "route_not_requested";
    return refusal(route, reason, "the model does not let callers name a provider or route");
  }
  if (wishes.provider !== undefined && wishes.provider !== route.providerId) {
    return refusal(route, "provider_not_requested");
  }
  if (wishes.route !== undefined && wishes.route !== route.id) {
    return refusal(route, "route_not_requested");
  }
  const unlisted = providers && refuseByLists(route, providers);
  if (unlisted !== undefined) return refusal(route, unlisted.reason, unlisted.detail);
  if (wishes.preference === "official_only" && !question.isOfficial(route.providerId)) {
    return refusal(route, "not_official");
  }
  if (wishes.excludeRiskLevels.includes(route.riskLevel)) {
    return refusal(route, "risk_level_excluded", `risk level ${route.riskLevel}`);
  }
  const unwanted = providers && refuseByTerms(route, providers, question);
  return unwanted && refusal(route, unwanted.reason, unwanted.detail);
}

/** Whether a request says by name who is to serve it, or who is not. */
export function isSourceNamed({ provider, route, providers }: SourceWishes): boolean {
  return (provider ?? route) !== undefined || (providers !== undefined && namesSources(providers));
}

/** What its provider is not made for, no request changes. */
function refuseUnserved(route: Route, { unserved }: RouteQuestion): RouteRefusal | undefined {
  const found = unserved.get(route.id);
  return found === undefined ? undefined : refusal(route, found.reason, found.detail);
}

/** An absent `supports` key is unknown and never filters: only `false` or too small does. */
function refuseByNeeds(route: Route, question: RouteQuestion): RouteRefusal | undefined {
  const { facts, model } = question;
  const { supports } = route;
  if (capabilityOf(facts.capability).kind !== model.kind) {
    return refusal(route, "endpoint_not_supported", `does not serve ${facts.capability}`);
  }
  const { needsSupport, deniedBy } = capabilityOf(facts.capability);
  if (needsSupport !== undefined ? supports[needsSupport] !== true : supports.chat === false) {
    return refusal(route, "endpoint_not_supported", `does not serve ${facts.capability}`);
  }
  if (deniedBy !== undefined) {
    const fault = supports[deniedBy] === false
      ? `does not serve ${facts.capability}`
      : question.capabilityFault?.(route, facts.capability);
    if (fault !== undefined) return refusal(route, "endpoint_not_supported", fault);
  }
  const lacking = lackingTool(route, question);
  if (lacking !== undefined) {
    const detail = `has nothing like the tool ${lacking}: it serves chat alone`;
    return refusal(route, "tools_not_supported", detail);
  }
  const foreign = lackingOf(route, question);
  if (foreign !== undefined) {
    return refusal(route, "endpoint_not_supported", `has nothing like ${foreign}`);
  }
  if (facts.stream && supports.stream === false) return refusal(route, "streaming_not_supported");
  if (facts.tools && supports.tools === false) return refusal(route, "tools_not_supported");
  if (facts.vision && supports.vision === false) return refusal(route, "vision_not_supported");
  if (facts.jsonSchema && supports.jsonSchema === false) {
    return refusal(route, "json_schema_not_supported");
  }
  const { contextTokens, maxOutputTokens } = supports;
  if (contextTokens !== undefined) {
    const prompt = facts.contextTokensEstimate ?? facts.promptTokensEstimate;
    const needed = prompt + (facts.maxOutputTokens ?? 0);
    if (needed > contextTokens) {
      const detail = `context ${contextTokens} tokens, request needs ${needed}`;
      return refusal(route, "context_too_long", detail);
    }
  }
  if (maxOutputTokens !== undefined && (facts.maxOutputTokens ?? 0) > maxOutputTokens) {
    const detail =
      `at most ${maxOutputTokens} output tokens, request asks ${facts.maxOutputTokens}`;
    return refusal(route, "output_too_long", detail);
  }
  if (mayNeed(facts.capability, "film")) {
    const misfit = videoMisfit(route.video, facts);
    if (misfit !== undefined) return refusal(route, misfit.reason, misfit.detail);
    const fault = facts.video && question.filmFault?.(route, facts.video);
    if (fault !== undefined) return refusal(route, "seconds_not_offered", fault);
  }
  if (!isPriced(route, model.kind, facts.video?.size)) {
    const priced = route.video?.sizes.filter((size) => isPriced(route, model.kind, size)) ?? [];
    return priced.length === 0 || facts.video === undefined
      ? refusal(route, "unpriced", unlistedDetail(route))
      : refusal(route, "unpriced", `sizes with a price: ${listValues(priced)}`);
  }
  return undefined;
}

/** Of a name that a wildcard stands for, and that is priced by the list of prices. */
function unlistedDetail({ isWildcard, upstreamModel, prices }: Route): string | undefined {
  return isWildcard === true && prices.sale?.kind === "markup" && prices.cost === undefined
    ? `the list of prices has none for '${upstreamModel}'`
    : undefined;
}

/** What the request needs that this route lacks; where no route has it, the one that is asked says so best. */
function lackingOf(
  route: Route,
  { facts: { ownOnly }, model, isNative }: RouteQuestion,
): string | undefined {
  if (ownOnly === undefined || isNative === undefined) return undefined;
  const { dialect, what, tools } = ownOnly;
  const serves = (one: Route) =>
    isNative(one, dialect) || (tools !== undefined && dropsAll(one, tools));
  return serves(route) || !model.routes.some(serves) ? undefined : what;
}

/** The first tool that this route has not; where no route could have it, the one that is asked says so best. */
function lackingTool(route: Route, { facts, model }: RouteQuestion): string | undefined {
  const { serverTools: tools } = facts;
  if (tools === undefined || tools.length === 0) return undefined;
  const serves = (one: Route) => one.supports.responses === true || dropsAll(one, tools);
  if (serves(route) || !model.routes.some(serves)) return undefined;
  return tools.find((tool) => !dropsAll(route, [tool]));
}

/** Whether tools of these types are left out of what a route's upstream gets. */
function dropsAll({ body: { dropTools } }: Route, tools: readonly string[]): boolean {
  return dropTools !== undefined && tools.every((tool) => matchesAny(dropTools, tool));
}

function refuseByState(route: Route, question: RouteQuestion): RouteRefusal | undefined {
  if (!route.enabled) return refusal(route, "disabled");
  if (route.maintenance) return refusal(route, "maintenance");
  const { health, now, projectId } = question;
  const coolingUntil = health.coolingUntil(route.id, projectId);
  if (coolingUntil > now) {
    const reason = health.coolingReason(route.id, projectId);
    const state = reason === "circuit_open" ? "circuit open" : "cooling down";
    const fault = health.coolingFault(route.id);
    const why = fault === undefined ? "" : `: ${faultWords(fault)}`;
    const seconds = wholeSeconds((coolingUntil - now) / 1000);
    return refusal(route, reason, `${state} for ${seconds} s${why}`);
  }
  return refuseByCapacity(route, question);
}

/** Why a route that is otherwise ready has no room for the request now. */
export function refuseByCapacity(
  route: Route,
  { facts, capacity, now }: RouteQuestion,
): RouteRefusal | undefined {
  if (capabilityOf(facts.capability).isQueued) return undefined;
  const wait = capacity.secondsUntilRoom(route, reservedTokens(facts), now);
  if (wait > 0) {
    return refusal(route, "at_capacity", `room for this request in ${wholeSeconds(wait)} s`);
  }
  return undefined;
}

/** Seconds as shown and sent: whole, rounded up, at least 1. */
export function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

function refusal(route: Route, reason: RouteReason, detail?: string): RouteRefusal {
  return detail === undefined
    ? { route: route.id, provider: route.providerId, reason }
    : { route: route.id, provider: route.providerId, reason, detail };
}
