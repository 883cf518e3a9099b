/**
 * The plan of a request that several models may serve: the routes of one after those of another, so
 * that the next model serves where the one before has no route left, or fails before its first byte.
 *
 * @module
 */

import { type ErrorName, GatewayError } from "../errors.ts";
import { type Plan, planCall, type PlanDeps, type PlanRequest } from "./plan_call.ts";

/**
 * One plan for all of them, in their order; the same request of each. A name that means no model, or
 * none that the caller may use here, is left out while another one is left; what is wrong with the
 * request itself is refused, whoever is left.
 *
 * @param ask What is asked of the model of a name.
 * @throws {GatewayError} The {@linkcode decisive} refusal, with the routes of all, when no route is left.
 */
export function planCalls(
  deps: PlanDeps,
  names: readonly string[],
  ask: (name: string) => PlanRequest,
): Plan {
  const plans: Plan[] = [];
  const refusals: GatewayError[] = [];
  const { asked, leftOut } = usable(names, ask);
  for (const request of asked) {
    try {
      plans.push(planCall(deps, request));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.routes === undefined) throw error;
      refusals.push(error);
    }
  }
  const [first] = plans;
  const refused = refusals.flatMap(({ routes }) => routes ?? []);
  if (first === undefined) throw withRoutes(decisive(refusals), { routes: refused, leftOut });
  return {
    ...first,
    selection: {
      candidates: plans.flatMap(({ selection }) => selection.candidates),
      rejected: [...plans.flatMap(({ selection }) => selection.rejected), ...refused],
    },
  };
}

/** A name of `models` that nobody can serve, and why. */
export interface LeftOutName {
  readonly name: string;
  readonly error: GatewayError;
}

/**
 * What can be asked of some names, and those that it cannot be asked of.
 *
 * @throws {GatewayError} The first name's refusal, where none is left; any that is not of a name.
 */
export function usable<Asked>(
  names: readonly string[],
  ask: (name: string) => Asked,
): { readonly asked: readonly Asked[]; readonly leftOut: readonly LeftOutName[] } {
  const asked: Asked[] = [];
  const leftOut: LeftOutName[] = [];
  for (const name of names) {
    try {
      asked.push(ask(name));
    } catch (error) {
      if (!(error instanceof GatewayError) || !isOfName(error)) throw error;
      leftOut.push({ name, error });
    }
  }
  if (asked.length === 0 && leftOut.length > 0) throw leftOut[0]!.error;
  return { asked, leftOut };
}

/** Refusals that are of a name, whatever is asked of it. */
const OF_NAMES: ReadonlySet<ErrorName> = new Set<ErrorName>([
  "model_not_found",
  "model_not_allowed",
  "not_found",
]);

/** Those that are so where they speak of the name: its model is of another kind, its suffix unknown. */
const MAY_BE_OF_NAMES: ReadonlySet<ErrorName> = new Set<ErrorName>([
  "invalid_value",
  "not_supported",
]);

/** Whether a refusal is of a model's name alone: with another one the same request may be served. */
export function isOfName({ error, param }: Pick<GatewayError, "error" | "param">): boolean {
  return OF_NAMES.has(error) || (param === "model" && MAY_BE_OF_NAMES.has(error));
}

/** Refusals that pass by themselves, and behind them what is nearest to passing. */
const NEAREST: readonly (readonly ErrorName[])[] = [
  ["pool_limit_exceeded", "provider_unavailable"],
  ["insufficient_balance"],
  ["no_route_now"],
];

/**
 * Of the refusals of several models the one that a caller is told: as one model's routes decide by
 * the best class that any of them has reached, of those that pass the one that passes first; else the
 * first.
 */
export function decisive(refusals: readonly GatewayError[]): GatewayError {
  for (const names of NEAREST) {
    const found = refusals.filter(({ error }) => names.includes(error));
    if (found.length > 0) return found.reduce((best, one) => isSooner(one, best) ? one : best);
  }
  return refusals[0]!;
}

function isSooner(one: GatewayError, other: GatewayError): boolean {
  return (one.retryAfterSeconds ?? Infinity) < (other.retryAfterSeconds ?? Infinity);
}

function withRoutes(
  { error, message: told, param, retryAfterSeconds }: GatewayError,
  { routes, leftOut }: {
    readonly routes: GatewayError["routes"];
    readonly leftOut: readonly LeftOutName[];
  },
): GatewayError {
  const message = [told, ...leftOut.map((one) => `left out of 'models': ${one.error.message}`)]
    .join("; ");
  return new GatewayError(error, message, { param: param ?? undefined, retryAfterSeconds, routes });
}
