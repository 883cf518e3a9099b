/**
 * The routing decision with the figures that made it, for `routes explain`.
 *
 * @module
 */

import type { RiskLevel } from "../domain/catalogue.ts";
import { formatAmount } from "../domain/money.ts";
import type { RouteRefusal } from "../errors.ts";
import { firstChances } from "./preferences.ts";
import type { RoutingPreference } from "../domain/source_wishes.ts";
import type { RouteQuestion } from "./route_request.ts";
import { selectRoute } from "./select_route.ts";

/** A candidate as shown, in the order it would be tried. */
export interface ExplainedCandidate {
  readonly route: string;
  readonly provider: string;
  readonly official: boolean;
  readonly risk_level: RiskLevel;
  /** The operator's weight in the default order. */
  readonly weight: number;
  readonly price: {
    readonly currency: string;
    /** What this request would likely be sold for, 8 fractional digits. */
    readonly quote: string | null;
  };
  /** Share of attempts that succeeded lately, 0 to 1, with its prior; 4 digits. */
  readonly success_rate: number;
  /** Recent milliseconds to the first byte (streams) or in total; `null` when not measured. */
  readonly latency_ms: number | null;
  /** Chance to be tried first; `null` where the order is not drawn by chance. */
  readonly first_chance: number | null;
  /** Whether it cools down or its circuit is open, and a call may probe it as there is no other. */
  readonly last_resort: boolean;
}

/** The decision as JSON shows it. Candidates and rejected together are all routes of the model. */
export interface Explanation {
  readonly model: string;
  readonly routing_preference: RoutingPreference | null;
  readonly candidates: readonly ExplainedCandidate[];
  readonly rejected: readonly RouteRefusal[];
}

/** Decides as {@linkcode selectRoute} does and says with which figures. Calls nobody. */
export function explainSelection(question: RouteQuestion): Explanation {
  const { wishes, health, facts, model, projectId } = question;
  const { candidates, rejected } = selectRoute(question);
  const drawn = wishes.preference === undefined || wishes.preference === "official_only";
  const chances = drawn ? firstChances(candidates, question) : undefined;
  return {
    model: model.id,
    routing_preference: wishes.preference ?? null,
    candidates: candidates.map(({ route, official, isLastResort }, index) => {
      const quote = question.quote(route);
      const latencyMs = health.latencyMs(route.id, facts.stream);
      return {
        route: route.id,
        provider: route.providerId,
        official,
        risk_level: route.riskLevel,
        weight: route.weight,
        price: {
          currency: route.prices.currency,
          quote: quote === undefined ? null : formatAmount(quote),
        },
        success_rate: fourDigits(health.successRate(route.id, projectId)),
        latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
        first_chance: chances === undefined ? null : fourDigits(chances[index]!),
        last_resort: isLastResort === true,
      };
    }),
    rejected,
  };
}

function fourDigits(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
