/**
 * Counts the tokens of a prompt without calling a model: by the first route whose upstream tells, else
 * by an estimate of ours. Nothing is held and nothing is charged.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import type { DialectName } from "../dialects/registry.ts";
import { capabilityOf } from "../domain/capabilities.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import type { Limiter } from "../limits/limiter.ts";
import { countWhenRoom } from "../planning/take_permit.ts";
import { planCall, type PlanDeps, requireModel } from "../planning/plan_call.ts";
import type { Registry } from "../providers/registry.ts";
import { promptTokens } from "./prompt_tokens.ts";
import type { CallRequest } from "./call_request.ts";
import { rejected } from "./failed_attempt.ts";

/** What counting needs. */
export interface CountingDeps extends PlanDeps {
  readonly registry: Pick<Registry, "provider">;
  readonly limiter: Pick<Limiter, "countWhenRoom">;
}

/** How many tokens a prompt has. */
export interface TokenCount {
  /** An object with `input_tokens`; of an upstream that was asked in its caller's dialect its answer. */
  readonly count: JsonObject;
  /** Whether no upstream has told. */
  readonly isEstimated: boolean;
}

/**
 * Counts.
 *
 * @throws {GatewayError} When no route may serve the request, or an upstream takes it for wrong.
 */
export async function countTokens(
  deps: CountingDeps,
  { dialect, request }: { readonly dialect: Dialect; readonly request: CallRequest },
): Promise<TokenCount> {
  const { caller, wishes, body, headers, stay, signal } = request;
  const model = requireModel(deps.catalogue.current, {
    model: request.model,
    caller,
    kind: capabilityOf(dialect.capability).kind,
  });
  const facts = dialect.facts(request, false);
  const { selection } = planCall(deps, { caller, wishes, model, facts });
  await countWhenRoom(deps.limiter, { caller, permit: stay.permit, tokens: 0 });
  for (const { route } of selection.candidates) {
    const counting = deps.registry.provider(route.providerId)?.counts
      ?.[dialect.name as DialectName];
    if (counting === undefined || counting.isOn?.(route) === false) continue;
    try {
      const count = await counting.ask(
        { route, body, headers, outputTokensCap: undefined },
        signal,
      );
      if (count !== undefined) return { count, isEstimated: false };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (error.failure === "caller") throw rejected(error);
      // Upstreams that lack this question serve messages all the same: says nothing of the route.
    }
  }
  const { upstreamModel, supports } = selection.candidates[0]!.route;
  const factor = dialect.tokenFactor?.(upstreamModel, supports) ?? 1;
  const input_tokens = Math.ceil(promptTokens(dialect, body) * factor);
  return { count: { input_tokens }, isEstimated: true };
}
