/**
 * The call that a plan opens on one of its candidates.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import { hasBudget } from "../domain/budgets.ts";
import type { OpenCall, Sticky } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import { hasConditions } from "../domain/price.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import type { Tags } from "../domain/tags.ts";
import { storedTerms, type Terms } from "../domain/terms.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import { decisionOf } from "../routing/decision.ts";
import type { Plan } from "./plan_call.ts";

/** Which candidate, who calls, and when the call began. */
export interface CallOpening {
  readonly route: Route;
  readonly caller: Caller;
  readonly identity: RequestIdentity;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  readonly tags?: Tags | undefined;
  readonly batchId?: string | undefined;
}

/** A call on a route, with the hold that its worst case needs. */
export function openCall(
  plan: Plan,
  { route, caller, identity, openedAt, tags, batchId }: CallOpening,
): OpenCall {
  const facts = plan.factsOn(route);
  const decision = decisionOf(plan.question, plan.selection, route);
  return {
    callId: identity.callId,
    requestId: identity.requestId,
    projectId: caller.project.id,
    keyId: caller.key.id,
    capability: facts.capability,
    model: route.modelId,
    provider: route.providerId,
    route: route.id,
    priceVersion: route.prices.version,
    heldE8: plan.worstCaseE8(route),
    unlimited: caller.project.unlimited,
    stream: facts.stream,
    openedAt,
    ...(countsAnyway(caller) && { reservedE8: plan.quoteE8(route) }),
    video: facts.video,
    terms: termsOn(route, facts),
    tags,
    batchId,
    ...(decision !== undefined && { decision }),
    sticky: plan.question.sticky === undefined ? undefined : stickyOf(plan.question.sticky, facts),
  };
}

/** Of a seal so much that it can be found in the conversation. */
const SHOWN_OF_SEAL = 12;

function stickyOf(route: string, { seal = "" }: RequestFacts): Sticky {
  return { route, seal: seal.slice(-SHOWN_OF_SEAL) };
}

/** What a request says that has to be stored to price it on a route. */
export function termsOn(
  { prices }: Route,
  { terms }: Pick<RequestFacts, "terms">,
): Terms | undefined {
  return hasConditions(prices) ? storedTerms(terms) : undefined;
}

/** Whether a call has to count against budgets although its project holds nothing for it. */
function countsAnyway({ project, key }: Caller): boolean {
  return project.unlimited && (hasBudget(project.budgets) || hasBudget(key.budgets));
}
