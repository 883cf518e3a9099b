/**
 * Projects: settings, credit and the switch.
 *
 * @module
 */

import * as z from "zod";
import type { Project } from "../domain/account.ts";
import type { AuditFields } from "../domain/audit.ts";
import { formatAmount, MAX_AMOUNT_E8, parseAmount } from "../domain/money.ts";
import { GatewayError } from "../errors.ts";
import { noteOf } from "./audit_note.ts";
import {
  budgetsField,
  type BudgetsJson,
  budgetsPatchField,
  budgetsToJson,
  type SpendRow,
  spendRow,
  toBudgets,
} from "./budgets.ts";
import { accept, commitChange, commitDifference } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import { refuseWhereFileOwns } from "./file_ownership.ts";
import {
  amountField,
  limitsField,
  limitsPatchField,
  limitsToJson,
  modelPatternsField,
  timeToJson,
  toLimits,
} from "./input_fields.ts";
import type { LimitsJson } from "./input_fields.ts";
import { unknownName } from "./not_found.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { goneCursor, type Page, pageFields, pageOfIds } from "./page.ts";
import { patternWarnings } from "./pattern_warnings.ts";
import {
  quotasField,
  type QuotasJson,
  quotasPatchField,
  quotasToJson,
  toQuotas,
} from "./quotas.ts";

/** A project as shown. Amounts are decimal strings with 8 fractional digits. */
export interface ProjectRow extends SpendRow {
  readonly id: string;
  /** What it can still spend. */
  readonly balance: string;
  /** What its calls under way hold. */
  readonly held: string;
  readonly currency: string;
  readonly unlimited: boolean;
  readonly disabled: boolean;
  readonly models: readonly string[];
  readonly limits: LimitsJson;
  readonly budgets: BudgetsJson;
  /** Of its own; where it has none, it is as for every project. */
  readonly quotas: QuotasJson;
  /** What is kept of its answers, and the most that is. */
  readonly kept: { readonly bytes: number; readonly most_bytes: number };
  readonly created_at: string;
}

const projectId = z.string().regex(
  /^[a-z0-9][a-z0-9._-]{0,63}$/,
  "Expected at most 64 lower-case letters, digits, '.', '_' and '-', starting with a letter or digit",
);
const byProject = z.strictObject({ project: z.string().min(1) });

export const createProject = defineOperation({
  name: "projects.create",
  method: "POST",
  path: "/projects",
  summary: "Creates a project with a balance of 0.",
  input: z.strictObject({
    id: projectId,
    unlimited: z.boolean().default(false),
    models: modelPatternsField.default(["*"]),
    limits: limitsField.default({}),
    budgets: budgetsField.optional(),
    quotas: quotasField.optional(),
  }),
  async run(deps, input): Promise<ProjectRow & { readonly warnings: readonly string[] }> {
    refuseWhereFileOwns(deps, "project settings");
    const project: Project = {
      id: input.id,
      unlimited: input.unlimited,
      disabled: false,
      models: input.models,
      limits: toLimits(input.limits),
      budgets: toBudgets(input.budgets ?? {}),
      quotas: toQuotas(input.quotas ?? {}),
      createdAt: deps.clock.now(),
    };
    await commitChange(deps, {
      operation: "projects.create",
      subject: `project:${project.id}`,
      after: auditedProject(deps, project),
      entries: [{ kind: "create_project", project }],
    }, {
      conflict: `Project '${input.id}' exists already: change it with \`tollgate projects set\``,
    });
    deps.directory.putProject(project);
    return { ...projectRow(deps, project), warnings: patternWarnings(deps, input.models) };
  },
});

export const listProjects = defineOperation({
  name: "projects.list",
  method: "GET",
  path: "/projects",
  summary: "Lists projects with their balances.",
  input: z.strictObject(pageFields),
  async run(deps, { limit, after }): Promise<Page<ProjectRow>> {
    if (after !== undefined && deps.directory.project(after) === undefined) {
      throw goneCursor("project", after);
    }
    const ids = await deps.storage.accounts.projectIds(after, limit + 1);
    return pageOfIds(ids, limit, (id) => {
      const project = deps.directory.project(id);
      return project && projectRow(deps, project);
    });
  },
});

export const setProject = defineOperation({
  name: "projects.set",
  method: "POST",
  path: "/projects/{project}",
  summary:
    "Changes the given settings of a project; a limit, budget or quota of null is taken away.",
  input: z.strictObject({
    project: z.string().min(1),
    unlimited: z.boolean().optional(),
    models: modelPatternsField.optional(),
    limits: limitsPatchField.optional(),
    budgets: budgetsPatchField.optional(),
    quotas: quotasPatchField.optional(),
  }),
  run(deps, { project: id, unlimited, models, limits, budgets, quotas }) {
    refuseWhereFileOwns(deps, "project settings");
    return oneAtATime(
      deps,
      async (): Promise<ProjectRow & { readonly warnings: readonly string[] }> => {
        const before = requireProject(deps, id);
        const project: Project = {
          ...before,
          unlimited: unlimited ?? before.unlimited,
          models: models ?? before.models,
          limits: toLimits({ ...limitsToJson(before.limits), ...limits }),
          budgets: toBudgets({ ...budgetsToJson(before.budgets), ...budgets }),
          quotas: toQuotas({ ...quotasToJson(before.quotas), ...quotas }),
        };
        await update(deps, project, { operation: "projects.set", before });
        return { ...projectRow(deps, project), warnings: patternWarnings(deps, models ?? []) };
      },
    );
  },
});

/** What a credit answers. */
export interface CreditAnswer extends ProjectRow {
  readonly credited: string;
  readonly reference: string | null;
  /** Whether this reference was credited before, so that nothing has changed now. */
  readonly repeated: boolean;
}

export const creditProject = defineOperation({
  name: "projects.credit",
  method: "POST",
  path: "/projects/{project}/credit",
  summary: "Adds to a project's balance; with a reference it is safe to repeat.",
  input: z.strictObject({
    project: z.string().min(1),
    amount: amountField,
    reference: z.string().min(1).max(200).optional(),
  }),
  run(deps, { project: id, amount, reference }): Promise<CreditAnswer> {
    return oneAtATime(deps, async () => {
      const project = requireProject(deps, id);
      const amountE8 = parseAmount(amount);
      const { avail, held } = deps.ledger.balanceOf(id);
      // A repeated reference adds nothing, so storage decides about that first.
      if (reference === undefined && avail + held + amountE8 > MAX_AMOUNT_E8) {
        throw tooMuch(id);
      }
      const note = noteOf(deps, {
        operation: "projects.credit",
        subject: `project:${id}`,
        before: {},
        after: { credited: formatAmount(amountE8), reference: reference ?? null },
      });
      const result = accept(
        await deps.ledger.credit({ projectId: id, amountE8, reference, note }),
        {
          // Of storage's two reasons the one about the balance holds whatever the reference is.
          conflict: avail + held + amountE8 > MAX_AMOUNT_E8
            ? tooMuch(id).message
            : `Cannot credit with reference '${reference}': it was used for project '${id}' with ` +
              "another amount. Nothing was changed; take a new reference for a new credit",
          missing: unknownName("project", id, projectIds(deps)).message,
        },
      );
      return {
        ...projectRow(deps, project),
        credited: formatAmount(amountE8),
        reference: reference ?? null,
        repeated: result.repeated === true,
      };
    });
  },
});

export const enableProject = defineOperation({
  name: "projects.enable",
  method: "POST",
  path: "/projects/{project}/enable",
  summary: "Lets a project's keys be used again.",
  input: byProject,
  run: (deps, { project }) =>
    switchProject(deps, project, { operation: "projects.enable", disabled: false }),
});

export const disableProject = defineOperation({
  name: "projects.disable",
  method: "POST",
  path: "/projects/{project}/disable",
  summary: "Refuses every key of a project, at once.",
  input: byProject,
  run: (deps, { project }) =>
    switchProject(deps, project, { operation: "projects.disable", disabled: true }),
});

function switchProject(
  deps: AdminDeps,
  id: string,
  { operation, disabled }: Pick<Project, "disabled"> & { readonly operation: string },
): Promise<ProjectRow> {
  return oneAtATime(deps, async () => {
    const before = requireProject(deps, id);
    const project = { ...before, disabled };
    await update(deps, project, { operation, before });
    return projectRow(deps, project);
  });
}

/** Writes what differs from `before`, if anything does. */
async function update(
  deps: AdminDeps,
  project: Project,
  { operation, before }: { readonly operation: string; readonly before: Project },
): Promise<void> {
  const isWritten = await commitDifference(deps, {
    operation,
    subject: `project:${project.id}`,
    before: auditedProject(deps, before),
    after: auditedProject(deps, project),
    entries: [{ kind: "update_project", project }],
  }, {
    missing: unknownName("project", project.id, projectIds(deps)).message,
  });
  if (isWritten) deps.directory.putProject(project);
}

/**
 * The project of that id.
 *
 * @throws {GatewayError} `not_found`.
 */
export function requireProject(deps: Pick<AdminDeps, "directory">, id: string): Project {
  const project = deps.directory.project(id);
  if (project === undefined) throw unknownName("project", id, projectIds(deps));
  return project;
}

function projectIds({ directory }: Pick<AdminDeps, "directory">): readonly string[] {
  return directory.projects().map((project) => project.id);
}

function tooMuch(id: string): GatewayError {
  return new GatewayError(
    "conflict",
    `Cannot credit project '${id}': its balance would exceed ${formatAmount(MAX_AMOUNT_E8)}`,
    { param: "amount" },
  );
}

/** A project's settings for the audit log: without what moves with every call. */
export function auditedProject(deps: AdminDeps, project: Project): AuditFields {
  const {
    id: _id,
    balance: _balance,
    held: _held,
    currency: _currency,
    spent: _spent,
    paused: _paused,
    reached_budgets: _reached,
    kept: _kept,
    ...settings
  } = projectRow(deps, project);
  return settings;
}

/** A project as it is shown now. */
export function projectRow(deps: AdminDeps, project: Project): ProjectRow {
  const { avail, held } = deps.ledger.balanceOf(project.id);
  return {
    id: project.id,
    balance: formatAmount(avail),
    held: formatAmount(held),
    currency: deps.catalogue.current.catalogue.currency,
    unlimited: project.unlimited,
    disabled: project.disabled,
    models: project.models,
    limits: limitsToJson(project.limits),
    budgets: budgetsToJson(project.budgets),
    quotas: quotasToJson(project.quotas),
    ...spendRow(deps, { scope: "project", id: project.id }),
    kept: { bytes: deps.room.bytesOf(project.id), most_bytes: deps.room.mostBytesOf(project.id) },
    created_at: timeToJson(project.createdAt),
  };
}
