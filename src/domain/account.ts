/**
 * Projects, project keys and balances.
 *
 * @module
 */

import type { Budgets } from "./budgets.ts";
import type { AmountE8 } from "./money.ts";
import type { Limits } from "./catalogue.ts";
import { matchesAny } from "./name_patterns.ts";

/** Owner of a balance, limits and allowed models. */
export interface Project {
  readonly id: string;
  /** An unlimited project is metered and priced, never charged. */
  readonly unlimited: boolean;
  readonly disabled: boolean;
  /** Allowed logical models: ids, prefixes ending in `*`, or `*`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly budgets: Budgets;
  readonly quotas: Quotas;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What a project may take of the disk, in bytes; what is absent is as for every project. */
export interface Quotas {
  /** Kept answers, those for repeated requests included. */
  readonly keptBytes?: number;
  /** Its films. */
  readonly videoBytes?: number;
  /** Files that it has uploaded or that batches have made for it. */
  readonly fileBytes?: number;
  /** How long equal requests get the same answer, in seconds; absent: each is a call. */
  readonly cacheSeconds?: number;
  /** The answers that they get; absent: {@linkcode DEFAULT_CACHE_BYTES}. */
  readonly cacheBytes?: number;
  /** For how many days what its calls said is kept; absent: none of it is. */
  readonly promptDays?: number;
  /** What that may take; absent: {@linkcode DEFAULT_PROMPT_BYTES}. */
  readonly promptBytes?: number;
  /** What is taken out of it before, besides what is known by itself. */
  readonly promptRedact?: readonly string[];
}

/** What a project's kept prompts may take where nothing is said. */
export const DEFAULT_PROMPT_BYTES = 256 * 1024 ** 2;

/** For how long prompts may be kept at most. */
export const MAX_PROMPT_DAYS = 3_650;

/** What the cache of a project may take where nothing is said. */
export const DEFAULT_CACHE_BYTES = 64 * 1024 ** 2;

/** How long an answer may be given again at most: 30 days. */
export const MAX_CACHE_SECONDS = 30 * 86_400;

/** The largest quota. */
export const MAX_QUOTA_BYTES = 1024 ** 5;

/** A project key as stored: never the key itself. */
/** What a key was before it was rotated. */
export interface EarlierSecret {
  readonly hash: string;
  readonly prefix: string;
  /** Until when it works, in milliseconds since the epoch. */
  readonly until: number;
}

export interface ProjectKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** The first characters of the key, to recognise it by. */
  readonly prefix: string;
  /** SHA-256 of the whole key, lower-case hex. */
  readonly hash: string;
  /** Narrows the project's models further; `undefined` means all of the project's. */
  readonly models: readonly string[] | undefined;
  readonly limits: Limits;
  /** Of this key alone, besides its project's. */
  readonly budgets: Budgets;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly disabled: boolean;
  readonly createdAt: number;
  /** The one before, where it works on for a while. */
  readonly earlier?: EarlierSecret | undefined;
}

/** What a project owns: `avail + held` is its balance. */
export interface Balance {
  readonly projectId: string;
  readonly avail: AmountE8;
  readonly held: AmountE8;
}

/** Whether a list of patterns (ids, `prefix*`, `*`) allows a model id. */
export function allowsModel(
  patterns: readonly string[],
  modelId: string,
): boolean {
  return matchesAny(patterns, modelId);
}
