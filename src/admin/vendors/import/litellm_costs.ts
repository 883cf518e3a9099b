/**
 * Prices of LiteLLM, per unit as binary fractions, as those of a route.
 *
 * @module
 */

import type { JsonObject } from "../../../domain/json_value.ts";

interface Theirs {
  /** By kinds of models; absent: all. */
  readonly kinds?: readonly string[];
  readonly rate: string;
  readonly per: "million" | "one";
}

/** By LiteLLM's name. */
const RATES: ReadonlyMap<string, readonly Theirs[]> = new Map(Object.entries<readonly Theirs[]>({
  input_cost_per_token: [{ rate: "input", per: "million" }],
  output_cost_per_token: [{ rate: "output", per: "million" }],
  cache_read_input_token_cost: [{ rate: "cached_input", per: "million" }],
  cache_creation_input_token_cost: [{ rate: "cache_write", per: "million" }],
  cache_creation_input_token_cost_above_1hr: [{ rate: "cache_write_1h", per: "million" }],
  input_cost_per_audio_token: [{ rate: "input_audio", per: "million" }],
  output_cost_per_audio_token: [{ rate: "output_audio", per: "million" }],
  input_cost_per_image_token: [{ rate: "input_image", per: "million" }],
  output_cost_per_image_token: [{ rate: "output_image", per: "million" }],
  output_cost_per_reasoning_token: [{ rate: "reasoning", per: "million" }],
  input_cost_per_character: [{ rate: "character", per: "million", kinds: ["speech"] }],
  input_cost_per_second: [{ rate: "audio_second", per: "one", kinds: ["transcription"] }],
  output_cost_per_second: [
    { rate: "audio_second", per: "one", kinds: ["transcription"] },
    { rate: "second", per: "one", kinds: ["video"] },
  ],
  output_cost_per_video_per_second: [{ rate: "second", per: "one", kinds: ["video"] }],
  output_cost_per_image: [{ rate: "image_out", per: "one", kinds: ["image"] }],
  input_cost_per_image: [
    { rate: "image", per: "one", kinds: ["chat"] },
    { rate: "image_out", per: "one", kinds: ["image"] },
  ],
  input_cost_per_query: [{ rate: "search_unit", per: "one", kinds: ["rerank"] }],
  input_cost_per_request: [{ rate: "request", per: "one" }],
}));

const STEP = /_above_(\d+)k_tokens$/;
const TIER = /_(flex|priority|ultrafast)$/;

/** Whether a field is a price, read or not. */
export function isPrice(field: string): boolean {
  return /cost/.test(field);
}

/** What a route costs; `unread` are prices that have no equal here. */
export function costOf(
  told: JsonObject,
  kind: string,
): { readonly cost: JsonObject | undefined; readonly unread: readonly string[] } {
  const base: Record<string, string> = {};
  const conditions = new Map<string, Record<string, unknown>>();
  const unread: string[] = [];
  for (const [field, value] of Object.entries(told)) {
    if (!isPrice(field) || value === null) continue;
    const tier = TIER.exec(field)?.[1];
    const untiered = field.replace(TIER, "");
    const step = STEP.exec(untiered)?.[1];
    const theirs = RATES.get(untiered.replace(STEP, ""))?.find(({ kinds }) =>
      kinds === undefined || kinds.includes(kind)
    );
    const rate = theirs && asRate(value, theirs.per);
    // A rate of 0 for what a kind is not priced by would be a price of its own.
    if (
      theirs !== undefined && rate !== undefined && Number(value) === 0 && isBeside(theirs, kind)
    ) {
      continue;
    }
    if (theirs === undefined || rate === undefined) unread.push(field);
    else if (tier === undefined && step === undefined) base[theirs.rate] ??= rate;
    else {
      const key = `${step ?? ""} ${tier ?? ""}`;
      const condition = conditions.get(key) ?? {
        ...(step !== undefined && { context_above: Number(step) * 1000 }),
        ...(tier !== undefined && { service_tier: tier }),
      };
      conditions.set(key, { ...condition, [theirs.rate]: rate });
    }
  }
  // The most particular condition last, as later ones win.
  const when = [...conditions.values()].sort((one, other) => weightOf(one) - weightOf(other));
  const cost = Object.keys(base).length === 0
    ? undefined
    : { ...base, ...(when.length > 0 && { when }) };
  return { cost, unread: cost === undefined && when.length > 0 ? Object.keys(told) : unread };
}

function isBeside({ rate }: Theirs, kind: string): boolean {
  return rate === "output" && kind !== "chat" || rate === "input" && kind === "rerank";
}

function weightOf(condition: Readonly<Record<string, unknown>>): number {
  return Number("service_tier" in condition) + 2 * Number("context_above" in condition);
}

/** A binary fraction as a decimal: as many digits as were meant. */
function asRate(value: unknown, per: "million" | "one"): string | undefined {
  const rate = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof rate !== "number" || !Number.isFinite(rate) || rate < 0) return undefined;
  const scaled = Number((rate * (per === "million" ? 1e6 : 1)).toPrecision(12));
  return scaled > 1_000_000 ? undefined : scaled.toFixed(8).replace(/(\.\d\d\d*?)0+$/, "$1");
}
