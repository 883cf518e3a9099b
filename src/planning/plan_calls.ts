/**
 * The plan of a request that several models may serve: the routes of one after those of another, so
 * that the next model serves where the one before has no route left, or fails before its first byte.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import { type Plan, planCall, type PlanDeps, type PlanRequest } from "./plan_call.ts";

/**
 * One plan for all of them, in their order; the same request of each.
 *
 * @throws {GatewayError} The first model's refusal, with the routes of all, when no route is left.
 */
export function planCalls(deps: PlanDeps, requests: readonly PlanRequest[]): Plan {
  const plans: Plan[] = [];
  const refusals: GatewayError[] = [];
  for (const request of requests) {
    try {
      plans.push(planCall(deps, request));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.routes === undefined) throw error;
      refusals.push(error);
    }
  }
  const [first] = plans;
  const refused = refusals.flatMap(({ routes }) => routes ?? []);
  if (first === undefined) throw withRoutes(refusals[0]!, refused);
  return {
    ...first,
    selection: {
      candidates: plans.flatMap(({ selection }) => selection.candidates),
      rejected: [...plans.flatMap(({ selection }) => selection.rejected), ...refused],
    },
  };
}

function withRoutes(
  { error, message, param, retryAfterSeconds }: GatewayError,
  routes: GatewayError["routes"],
): GatewayError {
  return new GatewayError(error, message, { param: param ?? undefined, retryAfterSeconds, routes });
}
