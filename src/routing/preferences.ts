/**
 * The order in which candidates are tried.
 *
 * A preference only orders: no route is left out for being slow, dear or shaky,
 * so the last route of a model always stays.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { Candidate, RouteQuestion } from "./route_request.ts";

/** Below this success rate the default order tries a route after the healthy ones. */
export const HEALTHY_SUCCESS_RATE = 0.75;

/**
 * Share of `lowest_latency` and `highest_throughput` requests that try a route nobody has measured yet
 * before the fastest known one. Without it such a route would never be measured.
 */
export const LATENCY_EXPLORING_SHARE = 0.1;

// What a route's place in the default order is made of, beside its priority.
const PAID = 1;
const SHAKY = 2;
const TIERS = 4;

/** Stands for a price that nobody can name: such a route comes last. */
const DEAREST = 1e18;

// Scratch space of the default order. Selection is synchronous, so one will do.
let tiers = new Uint16Array(64);
let keys = new Float64Array(64);

/** Puts the candidates into the order of the request's preference, in place. */
export function orderCandidates(candidates: Candidate[], question: RouteQuestion): void {
  if (candidates.length < 2) return;
  switch (question.wishes.preference) {
    case "lowest_price":
      return orderBy(candidates, question, byPrice);
    case "highest_reliability":
      return orderBy(candidates, question, byReliability);
    case "lowest_latency":
      return orderMeasured(candidates, question, {
        isKnown: ({ route }) =>
          question.health.latencyMs(route.id, question.facts.stream) !== undefined,
        compare: byLatency,
      });
    case "highest_throughput":
      return orderMeasured(candidates, question, {
        isKnown: ({ route }) => question.health.tokensPerSecond(route.id) !== undefined,
        compare: byThroughput,
      });
    default:
      // `official_only` has filtered already; what is left is in the default order.
      return orderByChance(candidates, question);
  }
}

/**
 * For each candidate the chance to be tried first in the default order: 0 for
 * those behind a better tier. They sum up to 1.
 */
export function firstChances(
  candidates: readonly Candidate[],
  question: RouteQuestion,
): number[] {
  const prices = candidates.map(({ route }) => weighingPrice(route, question));
  const tierOf = candidates.map(({ route }, index) => tier(route, prices[index]!, question));
  const first = Math.min(...tierOf);
  const shares = candidates.map(({ route }, index) =>
    tierOf[index] === first ? 1 / dearness(route, prices[index]!) : 0
  );
  const sum = shares.reduce((left, right) => left + right, 0);
  return shares.map((share) => share / sum);
}

/**
 * By priority, and within one by tiers, best first: healthy free, healthy paid, shaky free, shaky
 * paid. Within a tier a weighted draw without replacement: each candidate waits an exponentially
 * distributed time whose rate is its weight (weight / price², or 1 for free routes), and the
 * shortest wait comes first. Ordering by those waits needs no sum of weights and no second draw.
 */
function orderByChance(candidates: Candidate[], question: RouteQuestion): void {
  const count = candidates.length;
  if (count > keys.length) {
    tiers = new Uint16Array(2 * count);
    keys = new Float64Array(2 * count);
  }
  for (let index = 0; index < count; index++) {
    const candidate = candidates[index]!;
    const price = weighingPrice(candidate.route, question);
    const itsTier = tier(candidate.route, price, question);
    const key = -Math.log(1 - question.random()) * dearness(candidate.route, price);
    let place = index;
    while (place > 0 && comesBefore(itsTier, key, place - 1)) {
      tiers[place] = tiers[place - 1]!;
      keys[place] = keys[place - 1]!;
      candidates[place] = candidates[place - 1]!;
      place--;
    }
    tiers[place] = itsTier;
    keys[place] = key;
    candidates[place] = candidate;
  }
}

function comesBefore(itsTier: number, key: number, place: number): boolean {
  const other = tiers[place]!;
  return itsTier < other || (itsTier === other && key < keys[place]!);
}

function tier(route: Route, price: number, question: RouteQuestion): number {
  const shaky = isShaky(route, question);
  return route.priority * TIERS + (shaky ? SHAKY : 0) + (isFree(price) ? 0 : PAID);
}

/** Whether the default order has a route after the healthy ones of its priority. */
export function isShaky({ id }: Route, { health, projectId, now }: RouteQuestion): boolean {
  return health.isTroubled(id) && health.successRate(id, projectId, now) < HEALTHY_SUCCESS_RATE;
}

/** Whether a request would cost nothing on a route. */
export function isFreeOn(route: Route, question: RouteQuestion): boolean {
  return isFree(weighingPrice(route, question));
}

/** The inverse of a candidate's weight. Free routes share evenly: their weights do not count. */
function dearness(route: Route, price: number): number {
  return isFree(price) ? 1 : price * price / route.weight;
}

/** What rounds to an amount of 0 is free for this request. */
function isFree(price: number): boolean {
  return price < 0.5;
}

function weighingPrice(route: Route, question: RouteQuestion): number {
  if (question.weighPrice !== undefined) return question.weighPrice(route);
  const quote = question.quote(route);
  return quote === undefined ? DEAREST : Number(quote);
}

/** A candidate with the figures that order it; equals are drawn by lot. */
interface Figures {
  readonly candidate: Candidate;
  readonly quote: AmountE8 | undefined;
  readonly successRate: number;
  readonly latencyMs: number | undefined;
  readonly tokensPerSecond: number | undefined;
  readonly lot: number;
}

function figuresOf(candidate: Candidate, question: RouteQuestion): Figures {
  const { health, projectId, facts, random } = question;
  const { route } = candidate;
  return {
    candidate,
    quote: question.quote(route),
    successRate: health.successRate(route.id, projectId),
    latencyMs: health.latencyMs(route.id, facts.stream),
    tokensPerSecond: health.tokensPerSecond(route.id),
    lot: random(),
  };
}

type Comparison = (left: Figures, right: Figures) => number;

function orderBy(candidates: Candidate[], question: RouteQuestion, compare: Comparison): void {
  const figures = candidates.map((candidate) => figuresOf(candidate, question));
  figures.sort((left, right) => compare(left, right) || left.lot - right.lot);
  for (let index = 0; index < figures.length; index++) {
    candidates[index] = figures[index]!.candidate;
  }
}

/** The lowest quote first; equal ones by reliability. */
function byPrice(left: Figures, right: Figures): number {
  return compareQuotes(left.quote, right.quote) || right.successRate - left.successRate ||
    byPriority(left, right);
}

/** The highest success rate first; equal ones by price. */
function byReliability(left: Figures, right: Figures): number {
  return right.successRate - left.successRate || compareQuotes(left.quote, right.quote) ||
    byPriority(left, right);
}

/** What the operator would have first, where the caller's preference does not tell. */
function byPriority(left: Figures, right: Figures): number {
  return left.candidate.route.priority - right.candidate.route.priority;
}

function compareQuotes(left: AmountE8 | undefined, right: AmountE8 | undefined): number {
  if (left === right) return 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return left < right ? -1 : 1;
}

/**
 * The best first. Routes without samples follow in the default order, except
 * in every tenth request, where they lead; so does everything when no route has
 * been measured.
 */
function orderMeasured(
  candidates: Candidate[],
  question: RouteQuestion,
  { isKnown, compare }: {
    readonly isKnown: (candidate: Candidate) => boolean;
    readonly compare: Comparison;
  },
): void {
  const { random } = question;
  const measured: Candidate[] = [];
  const unmeasured: Candidate[] = [];
  for (const candidate of candidates) {
    (isKnown(candidate) ? measured : unmeasured).push(candidate);
  }
  orderBy(measured, question, compare);
  let explores = false;
  if (unmeasured.length > 0) {
    orderByChance(unmeasured, question);
    explores = random() < LATENCY_EXPLORING_SHARE;
  }
  const ordered = explores ? [...unmeasured, ...measured] : [...measured, ...unmeasured];
  for (let index = 0; index < ordered.length; index++) candidates[index] = ordered[index]!;
}

function byLatency(left: Figures, right: Figures): number {
  return (left.latencyMs ?? 0) - (right.latencyMs ?? 0) || right.successRate - left.successRate ||
    byPriority(left, right);
}

function byThroughput(left: Figures, right: Figures): number {
  return (right.tokensPerSecond ?? 0) - (left.tokensPerSecond ?? 0) ||
    right.successRate - left.successRate || byPriority(left, right);
}
