/**
 * What a call's usage is accounted for as: its counts completed where the upstream has left some out, its
 * terms, and its price.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import { capabilityOf, makesImages } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { hasConditions } from "../domain/price.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { NO_TERMS, type Terms } from "../domain/terms.ts";
import { completionTokens, promptTokens } from "../domain/work.ts";
import { type MeteredUsage, NOTHING_USED, type UsageMeter } from "../metering/usage_meter.ts";
import { answerFactsAfter } from "../planning/facts_after_rules.ts";
import { fillExpected } from "../pricing/fill_expected.ts";
import { type PricedWork, priceWork } from "../pricing/price_work.ts";
import { hasRules } from "../providers/contract/body_rules.ts";
import type { CallRequest } from "./call_request.ts";

/** What a call used, as it is accounted for. */
export type PricedMetering = MeteredUsage & PricedWork & { readonly terms?: Terms | undefined };

/** The call, as far as it counts. */
export interface MeteredOn {
  readonly request: CallRequest;
  readonly dialect: Dialect;
  readonly facts: RequestFacts;
  readonly meter: UsageMeter;
  /** The one that served, or was tried last. */
  readonly route: Route;
}

const UNPRICED: PricedMetering = { ...NOTHING_USED, costE8: 0n, saleE8: 0n };

/**
 * What was used with its price, and what was asked for besides. Counts whose price is no amount are absurd and are
 * estimated instead; an estimate that has none either is not charged. An answer that says nothing of its tier is not
 * sold for less than what was asked for.
 */
export function priceCall(call: MeteredOn, metered: MeteredUsage): PricedMetering {
  if (metered.source === "none") return UNPRICED;
  const { asked } = call.facts;
  const { prices } = call.route;
  const { work: counted, source } = filled(call, metered);
  const work = asked === undefined ? counted : { ...asked, ...counted };
  // What no price asks for is not worth a place in the row.
  const told = hasConditions(prices) ? call.meter.terms : NO_TERMS;
  const wished = told === undefined ? askedTerms(call) : undefined;
  try {
    const terms = told === NO_TERMS ? undefined : told ?? termsOfImage(call, wished);
    const priced = { work, terms, source, ...priceWork(prices, { work, terms }) };
    if (wished?.serviceTier === undefined) return priced;
    const asAsked = { ...priced, terms: wished, ...priceWork(prices, { work, terms: wished }) };
    const isDearer = asAsked.saleE8 > priced.saleE8 || asAsked.costE8 > priced.costE8;
    return isDearer ? asAsked : priced;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return metered.source === "estimated" ? UNPRICED : priceCall(call, call.meter.estimate());
  }
}

/** With what the upstream has left out of its counts and its route is paid by. */
function filled({ facts, meter, route }: MeteredOn, metered: MeteredUsage): MeteredUsage {
  const { expected } = facts;
  if (expected === undefined || metered.source !== "reported") return metered;
  const reported = metered.work;
  const hasTokens = promptTokens(reported) + completionTokens(reported) > 0;
  const likely = hasTokens ? expected.likely : meter.estimate().work;
  const work = fillExpected(route.prices, { reported, likely });
  return work === undefined ? metered : { work, source: "estimated" };
}

/** Of an image that nobody has told of, it is what was asked for. */
function termsOfImage({ facts }: MeteredOn, asked: Terms | undefined): Terms | undefined {
  return makesImages(capabilityOf(facts.capability).kind) ? asked : undefined;
}

/** What the upstream was asked for that the price may depend on: the caller's terms after the route's rules. */
function askedTerms({ request, facts, dialect, route }: MeteredOn): Terms | undefined {
  return hasRules(route.body)
    ? answerFactsAfter({ dialect, request, facts }, route).terms
    : facts.terms;
}
