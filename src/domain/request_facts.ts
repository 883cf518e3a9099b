/**
 * What a request needs of a route and its price depends on, and what its caller says of the sources.
 *
 * @module
 */

import type { VideoWork } from "./call.ts";
import type { Capability } from "./capabilities.ts";
import type { TermName, Terms } from "./terms.ts";
import type { Work } from "./work.ts";
import type { RiskLevel } from "./catalogue.ts";

/** What is bought, before it is known how much of it. */
export interface Expected {
  readonly likely: Work;
  readonly most: Work;
}

export interface RequestFacts {
  readonly capability: Capability;
  readonly stream: boolean;
  readonly tools: boolean;
  readonly vision: boolean;
  readonly jsonSchema: boolean;
  /** What it says itself that it buys besides tokens: images, seconds; absent: nothing. */
  readonly asked?: Work | undefined;
  /**
   * What it buys besides the tokens of its texts that only the answer tells: likely, for comparing
   * prices and for estimates, and at most, for holds; absent: nothing.
   */
  readonly expected?: Expected | undefined;
  /** Whether it has to do with more than text, such as sound; absent: it has not. */
  readonly isMedia?: boolean | undefined;
  /** What it says of what prices may depend on. */
  readonly terms?: Terms | undefined;
  /** Of what prices may depend on, what only the answer will tell; absent: nothing. */
  readonly openTerms?: readonly TermName[] | undefined;
  /** Likely prompt tokens: for context checks, limits and comparing prices. */
  readonly promptTokensEstimate: number;
  /** Of the longest single prompt, where a request carries several; absent: all of it is one. */
  readonly contextTokensEstimate?: number;
  /** No prompt can have more tokens than this (its UTF-8 bytes): for holds. */
  readonly promptTokensBound: number;
  /** Output limit the caller asked for, per choice; `undefined` if none. */
  readonly maxOutputTokens: number | undefined;
  /** How many choices (`n`); the output limit applies to each. */
  readonly choices: number;
  /** Types of tools that only an upstream's own Responses API can have; responses only. */
  readonly serverTools?: readonly string[] | undefined;
  /** How many tokens of the prompt's bound are what such tools may fetch; absent: none. */
  readonly fetchedTokensBound?: number;
  /** The newest seal on thoughts that it gives back: only where it was made can it be read. */
  readonly seal?: string | undefined;
  /** What it needs that only upstreams of its own dialect have, such as `'container'`. */
  readonly ownOnly?: {
    readonly dialect: string;
    readonly what: string;
    /** The types of the tools that it is about, where it is about nothing else. */
    readonly tools?: readonly string[];
  } | undefined;
  /** The film asked for; videos only. */
  readonly video?: VideoWork;
  /** Further create fields that the route must pass to its upstream; videos only. */
  readonly passFields?: readonly string[];
}

/** `routing_preference` on the wire (section 2.1 of the service specification). */
export const ROUTING_PREFERENCES = [
  "lowest_price",
  "highest_reliability",
  "lowest_latency",
  "highest_throughput",
  "official_only",
] as const;

/** One of {@linkcode ROUTING_PREFERENCES}. */
export type RoutingPreference = typeof ROUTING_PREFERENCES[number];

/** What a caller asks of providers together: each is there only where it says something. */
export interface ProviderWishes {
  /** Ids of providers or routes, in lower case, that are tried before all others, in this order. */
  readonly order?: readonly string[];
  /** The only ones that are tried. */
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  /** Nothing is tried that `order` does not name, or nothing but the first choice where there is none. */
  readonly noFallbacks?: true;
  /** The most that one of a unit may be sold for, as decimal strings. */
  readonly maxPrices?: { readonly [unit in "input" | "output" | "request" | "image"]?: string };
  /** Names of the request's fields, which a route may neither drop nor replace. */
  readonly parameters?: readonly string[];
}

/** The routing fields of a request (section 2.1 of the service specification), checked. */
export interface SourceWishes {
  readonly provider: string | undefined;
  readonly route: string | undefined;
  readonly preference: RoutingPreference | undefined;
  readonly excludeRiskLevels: readonly RiskLevel[];
  /** Absent: nothing. */
  readonly providers?: ProviderWishes;
}
