/**
 * What to tell a caller about each constraint that only a change of the request
 * (or of the catalogue) can lift.
 *
 * @module
 */

import { wordsOf } from "../dialects/request_words.ts";
import type { Capability } from "../domain/capabilities.ts";
import type { ConstraintReason, RouteRefusal } from "../errors.ts";

/** One constraint in words. */
export interface ConstraintAdvice {
  /** What is wrong, as the rest of "cannot serve this request: …". */
  readonly says: string;
  /** What the caller can do. */
  readonly advice: string;
  /** The request's field, by capability where its name differs. */
  readonly param: string | undefined | ((capability: Capability) => string | undefined);
}

/** By reason, in the order the constraints are applied. */
export const CONSTRAINT_ADVICE: { readonly [reason in ConstraintReason]: ConstraintAdvice } = {
  provider_not_requested: {
    says: "it is of another provider than the one named",
    advice: "name another provider",
    param: "provider",
  },
  route_not_requested: {
    says: "another route was named",
    advice: "name another route",
    param: "route",
  },
  fallback_not_allowed: {
    says: "the request allows no fallbacks",
    advice: "leave out 'provider.allow_fallbacks', or name others in 'provider.order'",
    param: "provider.allow_fallbacks",
  },
  not_official: {
    says: "it is not official",
    advice: "leave out 'routing_preference' or choose another one",
    param: "routing_preference",
  },
  risk_level_excluded: {
    says: "its risk level is excluded",
    advice: "exclude fewer levels in 'source_policy.exclude_risk_levels'",
    param: "source_policy",
  },
  price_above_max: {
    says: "it is sold for more than was asked for",
    advice: "ask for a higher 'provider.max_price'",
    param: "provider.max_price",
  },
  parameter_not_kept: {
    says: "it may not do all that the request says",
    advice: "leave out 'provider.require_parameters' or the field",
    param: "provider.require_parameters",
  },
  provider_kind_unknown: {
    says: "its provider is of a kind that this gateway does not know",
    advice: "choose another model, or ask the operator",
    param: undefined,
  },
  endpoint_not_supported: {
    says: "it does not serve this endpoint",
    advice: "choose another model or endpoint",
    param: "model",
  },
  streaming_not_supported: {
    says: "it does not stream",
    advice: "set 'stream' to false or choose another model",
    param: "stream",
  },
  tools_not_supported: {
    says: "it does not take tools",
    advice: "leave out 'tools' or choose another model",
    param: "tools",
  },
  vision_not_supported: {
    says: "it does not take images",
    advice: "send no images or choose another model",
    param: (capability) => wordsOf(capability).fields.image,
  },
  json_schema_not_supported: {
    says: "it does not answer by a JSON schema",
    advice: "ask for another format or choose another model",
    param: (capability) => wordsOf(capability).fields.schema,
  },
  context_too_long: {
    says: "the request does not fit its context",
    advice: "shorten the prompt or lower the requested output",
    param: promptField,
  },
  output_too_long: {
    says: "more output is requested than it writes",
    advice: "lower the requested output",
    param: (capability) => wordsOf(capability).fields.limit,
  },
  size_not_offered: {
    says: "it does not offer this size",
    advice: "choose another 'size'",
    param: "size",
  },
  seconds_not_offered: {
    says: "it does not offer this length",
    advice: "choose other 'seconds'",
    param: "seconds",
  },
  field_not_passed: {
    says: "it does not take a field of the request",
    advice: "leave out the fields that GET /v1/models does not list for it",
    param: undefined,
  },
  unpriced: {
    says: "it has no price for this request yet",
    advice: "choose what has a price, or ask the operator for one",
    param: undefined,
  },
  request_too_large: {
    says: "its upstream takes no request of this size now",
    advice: "shorten the prompt or lower the requested output",
    param: promptField,
  },
};

/** Whether only a change of the request or the catalogue lifts this refusal. */
export function isConstraint(
  refused: RouteRefusal,
): refused is RouteRefusal & { readonly reason: ConstraintReason } {
  return Object.hasOwn(CONSTRAINT_ADVICE, refused.reason);
}

function promptField(capability: Capability): string {
  return wordsOf(capability).fields.prompt;
}
