/**
 * The plan of a request that several models may serve: the routes of one after those of another, so
 * that the next model serves where the one before has no route left, or fails before its first byte.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import { type Plan, planCall, type PlanDeps, type PlanRequest } from "./plan_call.ts";

/**
 * One plan for all of them, in their order; the same request of each. A name that means no model, or
 * none that the caller may use here, is left out while another one is left.
 *
 * @param ask What is asked of the model of a name.
 * @throws {GatewayError} The first model's refusal, with the routes of all, when no route is left.
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
  if (first === undefined) throw withRoutes(refusals[0]!, { routes: refused, leftOut });
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
 * @throws {GatewayError} The first name's refusal, where none is left.
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
      if (!(error instanceof GatewayError)) throw error;
      leftOut.push({ name, error });
    }
  }
  if (asked.length === 0 && leftOut.length > 0) throw leftOut[0]!.error;
  return { asked, leftOut };
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
