/**
 * The catalogue: providers, models, routes and their settings, as every module
 * sees them. Immutable; a change makes a new snapshot.
 *
 * @module
 */

import type { ModelKind } from "./capabilities.ts";
import type { ModelTraits } from "./model_traits.ts";
import type { PriceVersion } from "./price.ts";

/** How risky the operator judges a route, from the least. */
export const RISK_LEVELS = ["low", "medium", "high"] as const;

/** One of {@linkcode RISK_LEVELS}. */
export type RiskLevel = typeof RISK_LEVELS[number];

/** Time limits of a provider's upstream calls, milliseconds. */
export interface ProviderTimeouts {
  readonly connectMs: number;
  /** From the request being sent to the first event; streams only. */
  readonly firstByteMs: number;
  /** Between two reads, only while we wait for the upstream. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** How the upstream wants its key: `Authorization: Bearer`, a header by name, or not at all. */
export type ProviderAuth =
  | { readonly kind: "bearer" }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "none" };

/** An upstream account. Secrets are references (`env:NAME`, `file:PATH` …), never values. */
export interface Provider {
  readonly id: string;
  /** One of the kinds of `providers/`; a stored one may be unknown to this version. */
  readonly kind: string;
  /** Without a trailing slash; `undefined` where the kind has an address of its own, or needs none. */
  readonly baseUrl: string | undefined;
  /** Secret references, used in turn. */
  readonly apiKeys: readonly string[];
  readonly auth: ProviderAuth;
  /** The vendor itself, not a reseller. */
  readonly official: boolean;
  readonly headers: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
  readonly timeouts: ProviderTimeouts;
  /** What its kind alone has, by the keys of the file; absent: nothing. */
  readonly own?: { readonly [key: string]: unknown };
}

/**
 * What a route can do, and how its model wants to be asked; an absent key of the former is unknown and
 * never filters.
 */
export interface Supports extends ModelTraits {
  readonly tools?: boolean;
  readonly vision?: boolean;
  readonly jsonSchema?: boolean;
  readonly responses?: boolean;
  /** The older completions, of which an absent key says that there are none. */
  readonly completions?: boolean;
  readonly chat?: boolean;
  /** Images of others; an absent key says nothing. */
  readonly imageEdits?: boolean;
  readonly stream?: boolean;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Inputs of one embeddings request; more are sent in several. */
  readonly maxInputs?: number;
}

/** Limits of a project, key or route; an absent one is no limit. */
export interface Limits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrent?: number;
  readonly openVideoTasks?: number;
}

/** Changes a route makes to the upstream body, by top-level field. */
export interface BodyRules {
  /** Replaces the caller's value. */
  readonly set: { readonly [field: string]: unknown };
  /** Used where the caller sent none. */
  readonly default: { readonly [field: string]: unknown };
  readonly drop: readonly string[];
  /**
   * Types of tools that an upstream would have to run and that are left out of requests to this one,
   * as {@linkcode matchesAny} has them; absent: none.
   */
  readonly dropTools?: readonly string[];
}

/** What a video route offers. */
export interface VideoOffer {
  readonly sizes: readonly string[];
  readonly seconds: readonly number[];
  /** Unknown create fields that are passed to the upstream. */
  readonly passFields: readonly string[];
}

/** A route's switches. */
export interface RouteSwitches {
  readonly enabled: boolean;
  readonly maintenance: boolean;
}

/** An operator's words on a switch. */
export interface SwitchedOff {
  /** Null for none. */
  readonly reason: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Of each switch that an operator has set and that keeps the route out of service. */
export interface SwitchesOff {
  readonly disabled?: SwitchedOff;
  readonly maintenance?: SwitchedOff;
}

/** One provider's way to serve one logical model. */
export interface Route {
  readonly id: string;
  readonly modelId: string;
  readonly providerId: string;
  readonly upstreamModel: string;
  readonly riskLevel: RiskLevel;
  /** Operator's order, 0 or more: those of a smaller one are tried before all others. */
  readonly priority: number;
  /** Operator's weight among those of its priority, > 0. */
  readonly weight: number;
  readonly enabled: boolean;
  readonly maintenance: boolean;
  /**
   * What the catalogue last said of the switches; `enabled` and `maintenance`
   * are what is in force, which an operator may have switched since.
   */
  readonly writtenSwitches?: RouteSwitches;
  /** Absent where no operator has switched it off, or one of an earlier version. */
  readonly switchedOff?: SwitchesOff;
  readonly supports: Supports;
  readonly limits: Limits;
  readonly body: BodyRules;
  readonly prices: PriceVersion;
  readonly video: VideoOffer | undefined;
  /** Whether the caller has named the model at the upstream, which may know none of that name. */
  readonly isWildcard?: true;
  /** Of a wildcard that is priced by the list of prices: what the names in it cost. */
  readonly namedPrices?: readonly NamedPrices[];
}

/** What one name of those that a wildcard stands for costs, or all that begin so. */
export interface NamedPrices {
  /** Of the upstream's model. */
  readonly name: string;
  /** Whether longer names have the price too, unless a longer beginning or the name itself has one. */
  readonly isBeginning?: true;
  readonly prices: PriceVersion;
}

/** A logical model, as callers name it. */
export interface Model {
  readonly id: string;
  readonly kind: ModelKind;
  readonly aliases: readonly string[];
  /** Whether callers may name `provider` or `route`. */
  readonly manualSelection: boolean;
  /** Unix time in seconds. */
  readonly createdAt: number;
  readonly routes: readonly Route[];
}

/** The whole catalogue at one moment. */
export interface Catalogue {
  /** Of the file that was applied last, where one had any. */
  readonly revision?: number | undefined;
  readonly currency: string;
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}

/** Time limits that hold where the operator sets none. */
export const DEFAULT_TIMEOUTS: ProviderTimeouts = Object.freeze({
  connectMs: 5_000,
  firstByteMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
});
