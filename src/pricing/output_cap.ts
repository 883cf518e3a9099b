/**
 * The output limit of a call: what it is held for, what the upstream is told, and
 * how much of a stream is taken.
 *
 * @module
 */

import { type Capability, capabilityOf } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { limitOnRoute } from "../dialects/output_limit.ts";

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
  /** Sent upstream as the limit, per choice; `undefined` sends none. */
  readonly upstreamTokens: number | undefined;
  /** A stream that is clearly longer, per choice, is ended; `undefined` lets it go on. */
  readonly streamTokens: number | undefined;
}

const NO_OUTPUT: OutputCap = {
  heldTokens: 0,
  upstreamTokens: undefined,
  streamTokens: undefined,
};

/**
 * The limit by the caller and the route's rules or, if there is none, the smaller of
 * the route's own maximum and {@linkcode DEFAULT_OUTPUT_CAP}; that one only goes
 * upstream for projects that pay, or the answer could cost more than its hold. A
 * route that drops the limit leaves its upstream to itself: then that one is held
 * for, and only streams keep to what was asked.
 */
export function outputCap(route: Route, facts: OutputCapFacts): OutputCap {
  const { capability, maxOutputTokens: asked, pays } = facts;
  const { writesTokens, usualOutput } = capabilityOf(capability);
  if (!writesTokens) return NO_OUTPUT;
  const { tokens: wanted = usualOutput, isSent } = limitOnRoute(route, { capability, asked });
  if (wanted === undefined || !isSent) {
    const own = ownLimit(route, facts);
    const heldTokens = wanted === undefined ? own : Math.max(own, wanted);
    return {
      heldTokens,
      upstreamTokens: isSent && pays ? own : undefined,
      streamTokens: wanted ?? (pays ? own : undefined),
    };
  }
  const { maxOutputTokens = wanted } = route.supports;
  const tokens = Math.min(wanted, maxOutputTokens);
  return { heldTokens: tokens, upstreamTokens: tokens, streamTokens: tokens };
}

/**
 * How long a stream may be, per choice, with thoughts that stand in fields of their own: many
 * upstreams do not count these in the limit. No longer than the route may write by itself.
 */
export function capWithThoughts({ supports }: Route, streamTokens: number): number {
  return Math.max(streamTokens, supports.maxOutputTokens ?? DEFAULT_OUTPUT_CAP);
}

/**
 * Leaves room for the prompt in a known context, because servers such as vLLM
 * refuse a limit that cannot fit beside the prompt.
 */
function ownLimit({ supports }: Route, { promptTokensEstimate }: OutputCapFacts): number {
  const { maxOutputTokens, contextTokens } = supports;
  let tokens = DEFAULT_OUTPUT_CAP;
  if (maxOutputTokens !== undefined && maxOutputTokens < tokens) tokens = maxOutputTokens;
  if (contextTokens !== undefined) {
    // The estimate may be a quarter short, and chat templates add tokens of their own.
    const room = contextTokens - Math.ceil(promptTokensEstimate * 1.25) - 64;
    tokens = Math.min(tokens, Math.max(room, LEAST_OUTPUT));
  }
  return tokens;
}
