/**
 * The output limit that a call is held for, and whether the upstream is told.
 *
 * @module
 */

import type { Capability } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";

/** Held for, per choice, where neither the caller nor the route has a smaller limit. */
export const DEFAULT_OUTPUT_CAP = 16_384;

/** The least that is left to the answer when the estimated prompt nearly fills the context. */
const LEAST_OUTPUT = 256;

/** What the limit depends on. */
export interface OutputCapFacts {
  readonly capability: Capability;
  /** Output limit the caller asked for, per choice; `undefined` if none. */
  readonly maxOutputTokens: number | undefined;
  readonly promptTokensEstimate: number;
  /** Whether the project is charged; an unlimited one is not. */
  readonly pays: boolean;
}

/** The output limit of one call on one route. */
export interface OutputCap {
  /** Output tokens per choice that the hold is sized for. */
  readonly heldTokens: number;
  /** Sent upstream as the limit when the caller asked for none; `undefined` sends none. */
  readonly upstreamTokens: number | undefined;
}

const NO_OUTPUT: OutputCap = { heldTokens: 0, upstreamTokens: undefined };

/**
 * The requested maximum, or, if none was asked, the smaller of the route's own
 * maximum and {@linkcode DEFAULT_OUTPUT_CAP}. That one is then also sent
 * upstream for projects that pay, or the answer could cost more than its hold.
 * It leaves room for the prompt in a known context, because servers such as
 * vLLM refuse a limit that cannot fit beside the prompt.
 */
export function outputCap(route: Route, facts: OutputCapFacts): OutputCap {
  if (facts.capability === "embeddings" || facts.capability === "videos") return NO_OUTPUT;
  if (facts.maxOutputTokens !== undefined) {
    return { heldTokens: facts.maxOutputTokens, upstreamTokens: undefined };
  }
  const { maxOutputTokens, contextTokens } = route.supports;
  let tokens = DEFAULT_OUTPUT_CAP;
  if (maxOutputTokens !== undefined && maxOutputTokens < tokens) tokens = maxOutputTokens;
  if (contextTokens !== undefined) {
    // The estimate may be a quarter short, and chat templates add tokens of their own.
    const room = contextTokens - Math.ceil(facts.promptTokensEstimate * 1.25) - 64;
    tokens = Math.min(tokens, Math.max(room, LEAST_OUTPUT));
  }
  return { heldTokens: tokens, upstreamTokens: facts.pays ? tokens : undefined };
}
