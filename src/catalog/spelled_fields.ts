/**
 * Settings that are called otherwise in JSON than in the program: both ways, from one table each.
 * What is absent on one side is absent on the other.
 *
 * @module
 */

import type { Quotas } from "../domain/account.ts";
import type { Budgets } from "../domain/budgets.ts";
import type { Limits, Supports } from "../domain/catalogue.ts";
import { type AmountE8, formatAmount, parseAmount } from "../domain/money.ts";

/** Such settings, some of which are amounts: decimal strings in JSON, where a name ends in `E8`. */
export interface SpelledFields<Value> {
  /** `null` is as absent. */
  read(json: { readonly [name: string]: unknown }): Value;
  write(value: Value, amount?: (amount: AmountE8) => string): { readonly [name: string]: unknown };
}

function spelled<Value extends object>(
  names: Readonly<Record<string, keyof Value & string>>,
): SpelledFields<Value> {
  const pairs = Object.entries(names);
  return {
    read: (json) =>
      Object.fromEntries(pairs.flatMap(([name, field]) => {
        const value = json[name] ?? undefined;
        if (value === undefined) return [];
        return [[field, field.endsWith("E8") ? parseAmount(String(value)) : value]];
      })) as Value,
    write: (value, amount = formatAmount) =>
      Object.fromEntries(pairs.flatMap(([name, field]) => {
        const given: unknown = value[field];
        if (given === undefined) return [];
        return [[name, typeof given === "bigint" ? amount(given) : given]];
      })),
  };
}

/** What a project, a key or a route may take per minute and at one time. */
export const LIMITS = spelled<Limits>({
  requests_per_minute: "requestsPerMinute",
  tokens_per_minute: "tokensPerMinute",
  concurrent: "concurrent",
  open_video_tasks: "openVideoTasks",
});

/** What a project or key may spend. */
export const BUDGETS = spelled<Budgets>({
  daily: "dailyE8",
  monthly: "monthlyE8",
  spend_brake: "brakeTimes",
  spend_brake_floor: "brakeFloorE8",
});

/** What a project may take of the disk. */
export const QUOTAS = spelled<Quotas>({
  kept_bytes: "keptBytes",
  video_bytes: "videoBytes",
  file_bytes: "fileBytes",
  cache_seconds: "cacheSeconds",
  cache_bytes: "cacheBytes",
  prompt_days: "promptDays",
  prompt_bytes: "promptBytes",
  redact: "promptRedact",
});

/** What a route can do. */
export const SUPPORTS = spelled<Supports>({
  tools: "tools",
  vision: "vision",
  json_schema: "jsonSchema",
  responses: "responses",
  completions: "completions",
  chat: "chat",
  image_edits: "imageEdits",
  stream: "stream",
  context_tokens: "contextTokens",
  max_output_tokens: "maxOutputTokens",
  max_inputs: "maxInputs",
  sampling: "sampling",
  thinking: "thinking",
  thinking_off: "thinkingOff",
  least_effort: "leastEffort",
  most_effort: "mostEffort",
  least_thinking_tokens: "leastThinkingTokens",
  most_thinking_tokens: "mostThinkingTokens",
  forced_tools: "forcedTools",
  schemas_by: "schemasBy",
  schemas_with_tools: "schemasWithTools",
  system_turns: "systemTurns",
  system_place: "systemPlace",
  signed_calls: "signedCalls",
  rich_results: "richResults",
  token_factor: "tokenFactor",
});
