/**
 * What an upstream's model takes and refuses: what its route says, and else the shipped list of its
 * name. A model that is not in the list is taken for one of the newest.
 *
 * @module
 */

import type { Effort, ModelTraits } from "../../domain/model_traits.ts";
import { knownTraits } from "../../vendors/model_traits.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";

/** What requests depend on. */
export interface MessagesTraits extends ModelTraits {
  readonly maxOutputTokens: number;
  readonly mostEffort: Effort;
}

const LEAST_KNOWN = { maxOutputTokens: 32_000, mostEffort: "high" } as const;

/** Tokens that a model counts where our tokenizer counts one: others' are about ours. */
export function tokenFactor(model: string, own: ModelTraits = {}): number {
  if (own.tokenFactor !== undefined) return own.tokenFactor;
  return /claude/i.test(model) ? traitsOf(model).tokenFactor ?? 1 : 1;
}

/** Of a model, by its name at the upstream, and what its route says of it. */
export function traitsOf(model = "", own: ModelTraits = {}): MessagesTraits {
  return { ...LEAST_KNOWN, ...knownTraits(ANTHROPIC_MESSAGES, model), ...own };
}
