/**
 * The routing decision with the figures that made it, for `routes explain`.
 *
 * @module
 */

import { formatAmount } from "../domain/money.ts";
import { placeWords } from "./place_words.ts";
import { firstChances } from "./preferences.ts";
import type { RouteQuestion } from "./route_request.ts";
import { selectRoute } from "./select_route.ts";

/**
 * Decides as {@linkcode selectRoute} does and says with which figures. Calls nobody. Candidates come in
 * the order in which they would be tried; with those that are rejected they are all routes of the model.
 */
export function explainSelection(question: RouteQuestion) {
  const { wishes, health, facts, model, projectId } = question;
  const { candidates, rejected } = selectRoute(question);
  const drawn = wishes.preference === undefined || wishes.preference === "official_only";
  const isStuck = candidates[0]?.isSticky === true;
  const chances = isStuck
    ? candidates.map((_, index) => index === 0 ? 1 : 0)
    : drawn
    ? firstChances(candidates, question)
    : undefined;
  return {
    model: model.id,
    routing_preference: wishes.preference ?? null,
    candidates: candidates.map((candidate, index) => {
      const { route, official, isLastResort } = candidate;
      const quote = question.quote(route);
      const latencyMs = health.latencyMs(route.id, facts.stream);
      const tokensPerSecond = health.tokensPerSecond(route.id);
      return {
        route: route.id,
        provider: route.providerId,
        official,
        risk_level: route.riskLevel,
        priority: route.priority,
        weight: route.weight,
        place: placeWords(candidate, { candidates, question }),
        price: {
          currency: route.prices.currency,
          quote: quote === undefined ? null : formatAmount(quote),
        },
        success_rate: fourDigits(health.successRate(route.id, projectId)),
        latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
        tokens_per_second: tokensPerSecond === undefined ? null : Math.round(tokensPerSecond),
        first_chance: chances === undefined ? null : fourDigits(chances[index]!),
        sticky: candidate.isSticky === true,
        last_resort: isLastResort === true,
      };
    }),
    rejected,
  };
}

/** The decision as JSON shows it. */
export type Explanation = ReturnType<typeof explainSelection>;

/** A candidate as shown. */
export type ExplainedCandidate = Explanation["candidates"][number];

function fourDigits(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
