/**
 * What a provider is asked of a call.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { Plan } from "../planning/plan_call.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import type { UpstreamDialectName } from "../dialects/registry.ts";
import type { Conversation, ProviderCall } from "../providers/contract/provider.ts";
import type { AttemptLoopDeps } from "./attempt_loop.ts";
import type { MeteredCall } from "./metered_call.ts";

/** On a route. */
export function providerCallOf(
  { request: { body, headers, stay, sealSummary, longTexts } }: MeteredCall,
  plan: Plan,
  route: Route,
): ProviderCall {
  return {
    route,
    body,
    headers,
    outputTokensCap: plan.capOf(route).upstreamTokens,
    room: stay,
    sealSummary,
    longTexts,
  };
}

/** How the provider of the first route is talked to in the caller's own dialect; `undefined` where it is not. */
export function conversationOf(
  { registry }: Pick<AttemptLoopDeps, "registry">,
  { name }: Dialect,
  { selection }: Plan,
): Conversation | undefined {
  const provider = registry.provider(selection.candidates[0]!.route.providerId);
  return provider?.speaks[name as UpstreamDialectName] as Conversation | undefined;
}
