/**
 * How much a model is to think, as it is told by its own words.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";

/** Google's own numbers for the efforts of OpenAI's clients. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

const LEVELS: Readonly<Record<string, string>> = {
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** `thinkingConfig`; `undefined` where the model is left to itself. Level and budget exclude each other. */
export function thinkingConfig(
  effort: string | undefined,
  traits: ModelTraits,
): JsonObject | undefined {
  if (effort === undefined) return undefined;
  switch (traits.thinking) {
    case "level": {
      const level = LEVELS[effort] ?? "medium";
      const taken = level === "minimal" ? traits.leastEffort ?? "low" : level;
      return { thinkingLevel: taken, includeThoughts: effort !== "none" };
    }
    case "budget": {
      const { leastThinkingTokens: least = 0, mostThinkingTokens: most = BUDGETS.max! } = traits;
      const budget = BUDGETS[effort] ?? BUDGETS.medium!;
      const taken = Math.min(most, Math.max(least, budget));
      return { thinkingBudget: taken, includeThoughts: effort !== "none" };
    }
    default:
      return undefined;
  }
}
