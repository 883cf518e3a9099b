/**
 * Who asks about routes, and what keeps its calls from being made.
 *
 * @module
 */

import * as z from "zod";
import { mayUse } from "../accounts/key_directory.ts";
import type { Shown } from "../documents/shown.ts";
import { allowsModel, type Project, type ProjectKey } from "../domain/account.ts";
import type { Model } from "../domain/catalogue.ts";
import { formatAmount } from "../domain/money.ts";
import { accountRowOf } from "./accounts/account.ts";
import { requireKey } from "./accounts/keys.ts";
import { requireProject } from "./accounts/projects.ts";
import type { AdminDeps } from "./base/deps.ts";
import { shownAmount } from "./base/fields.ts";

/** It, as shown. */
export const explainedCaller = z.object({
  project: z.string(),
  key: z.string().nullable(),
  may_use: z.boolean(),
  refusals: z.array(z.string()).describe(
    "Why a call would be refused before any route is weighed; empty when it would not",
  ),
  balance: shownAmount,
  unlimited: z.boolean(),
});

/** A project, and one of its keys where that is named. */
export interface ExplainCaller {
  readonly project: Project;
  readonly key: ProjectKey | undefined;
}

/**
 * Who is named; `undefined` where nobody is.
 *
 * @throws {GatewayError} `not_found`.
 */
export function findCaller(
  deps: AdminDeps,
  question: { readonly project?: string | undefined; readonly key?: string | undefined },
): ExplainCaller | undefined {
  if (question.key !== undefined) {
    const key = requireKey(deps, question.key);
    return { project: requireProject(deps, key.projectId), key };
  }
  if (question.project === undefined) return undefined;
  return { project: requireProject(deps, question.project), key: undefined };
}

/** Whether it may use a model. */
export function mayUseModel({ project, key }: ExplainCaller, { id }: Model): boolean {
  return key === undefined ? allowsModel(project.models, id) : mayUse({ project, key }, id);
}

/** What is known of it. */
export function describeCaller(
  deps: AdminDeps,
  { project, key, model }: ExplainCaller & { readonly model: Model },
): Shown<typeof explainedCaller> {
  const allowed = mayUseModel({ project, key }, model);
  const expired = key?.expiresAt !== undefined && key.expiresAt <= deps.clock.now();
  const refusals = [
    !allowed && `the ${key === undefined ? "project" : "key"} may not use ${model.id}`,
    project.disabled && "the project is disabled",
    key?.disabled === true && "the key is disabled",
    expired && "the key has expired",
    ...spendRefusals(deps, "project", project),
    ...(key === undefined ? [] : spendRefusals(deps, "key", key)),
  ].filter((refusal) => refusal !== false);
  return {
    project: project.id,
    key: key?.id ?? null,
    may_use: refusals.length === 0,
    refusals,
    balance: formatAmount(deps.ledger.balanceOf(project.id).avail),
    unlimited: project.unlimited,
  };
}

/** Why a project or key may spend nothing more for now. */
function spendRefusals(
  deps: AdminDeps,
  scope: "project" | "key",
  account: Project | ProjectKey,
): readonly string[] {
  const { paused, reached_budgets: reached } = accountRowOf(deps, scope, account);
  return [
    ...(paused === null ? [] : [`its spend brake has paused the ${scope}`]),
    ...reached.map((period) => `the ${period} budget of the ${scope} is reached`),
  ];
}
