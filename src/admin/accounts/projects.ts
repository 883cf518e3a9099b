/**
 * Projects: their settings and their switch.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Project } from "../../domain/account.ts";
import type { AuditFields } from "../../domain/audit.ts";
import { formatAmount } from "../../domain/money.ts";
import { shownAmount, shownCount, shownTime, warningsField } from "../base/answer_fields.ts";
import {
  budgetsField,
  budgetsPatchField,
  budgetsToJson,
  spendFields,
  spendRow,
  toBudgets,
} from "./budgets.ts";
import { commitChange, commitDifference } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { refuseWhereFileOwns } from "../base/file_ownership.ts";
import {
  limitsField,
  limitsPatchField,
  limitsToJson,
  modelPatternsField,
  timeToJson,
  toLimits,
} from "../base/input_fields.ts";
import { unknownName } from "../base/not_found.ts";
import { oneAtATime } from "../base/one_at_a_time.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { goneCursor, pageAnswer, pageFields, pageOfIds } from "../base/page.ts";
import { patternWarnings } from "./pattern_warnings.ts";
import { quotasField, quotasPatchField, quotasToJson, shownQuotas, toQuotas } from "./quotas.ts";

/** A project as shown. */
export const shownProject = z.object({
  id: z.string(),
  balance: shownAmount.describe("What it can still spend"),
  held: shownAmount.describe("What its calls under way hold"),
  currency: z.string(),
  unlimited: z.boolean(),
  disabled: z.boolean(),
  models: z.array(z.string()),
  limits: limitsField,
  budgets: budgetsField,
  quotas: shownQuotas.describe("Of its own; where it has none, it is as for every project"),
  ...spendFields,
  kept: z.object({ bytes: shownCount, most_bytes: shownCount })
    .describe("What is kept of its answers, and the most that is"),
  created_at: shownTime,
});

/** A project as shown. */
export type ProjectRow = Shown<typeof shownProject>;

const changedProject = shownProject.extend({ warnings: warningsField });

/** The project that an operation is about. */
export const projectField = z.string().min(1).describe("the project");

const byProject = z.strictObject({ project: projectField });

const projectId = z.string().regex(
  /^[a-z0-9][a-z0-9._-]{0,63}$/,
  "Expected at most 64 lower-case letters, digits, '.', '_' and '-', starting with a letter or digit",
).describe("lower-case letters, digits, '.', '_', '-'");

const unlimitedField = z.boolean().describe("meter and price its calls, never charge them");

export const createProject = defineOperation({
  name: "projects.create",
  method: "POST",
  path: "/projects",
  effects: "changes",
  summary: "Creates a project with a balance of 0.",
  input: z.strictObject({
    id: projectId,
    unlimited: unlimitedField.default(false),
    models: modelPatternsField.default(["*"])
      .describe("models it may use: ids, prefix*, * (default: *)"),
    limits: limitsField.default({}),
    budgets: budgetsField.default({}),
    quotas: quotasField.prefault({}),
  }),
  output: changedProject,
  errors: [],
  async run(deps, input) {
    refuseWhereFileOwns(deps, "project settings");
    const project: Project = {
      id: input.id,
      unlimited: input.unlimited,
      disabled: false,
      models: input.models,
      limits: toLimits(input.limits),
      budgets: toBudgets(input.budgets),
      quotas: toQuotas(input.quotas),
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
  effects: "reads",
  summary: "Lists projects with their balances.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownProject),
  errors: [],
  async run(deps, { limit, after }) {
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

export const showProject = defineOperation({
  name: "projects.show",
  method: "GET",
  path: "/projects/{project}",
  effects: "reads",
  summary: "Shows a project with its balance.",
  input: byProject,
  output: shownProject,
  errors: ["not_found"],
  run: (deps, { project }) => Promise.resolve(projectRow(deps, requireProject(deps, project))),
});

export const setProject = defineOperation({
  name: "projects.set",
  method: "POST",
  path: "/projects/{project}",
  effects: "changes",
  summary:
    "Changes the given settings of a project; a limit, budget or quota of null is taken away.",
  input: z.strictObject({
    project: projectField,
    unlimited: unlimitedField.optional()
      .register(optionWords, { no: "charge its calls to its balance" }),
    models: modelPatternsField.optional().describe("models it may use: ids, prefix*, *"),
    limits: limitsPatchField.optional(),
    budgets: budgetsPatchField.optional(),
    quotas: quotasPatchField.optional(),
  }),
  output: changedProject,
  errors: ["not_found"],
  run(deps, { project: id, unlimited, models, limits, budgets, quotas }) {
    refuseWhereFileOwns(deps, "project settings");
    return oneAtATime(deps, async () => {
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
    });
  },
});

export const enableProject = switchOperation("enable", "Lets a project's keys be used again.");
export const disableProject = switchOperation(
  "disable",
  "Refuses every key of a project, at once.",
);

function switchOperation(verb: "enable" | "disable", summary: string) {
  const name = `projects.${verb}`;
  return defineOperation({
    name,
    method: "POST",
    path: `/projects/{project}/${verb}`,
    effects: "changes",
    summary,
    input: byProject,
    output: shownProject,
    errors: ["not_found"],
    run: (deps, { project: id }) =>
      oneAtATime(deps, async () => {
        const before = requireProject(deps, id);
        const project = { ...before, disabled: verb === "disable" };
        await update(deps, project, { operation: name, before });
        return projectRow(deps, project);
      }),
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

/** Every project there is, to name the likely one. */
export function projectIds({ directory }: Pick<AdminDeps, "directory">): readonly string[] {
  return directory.projects().map((project) => project.id);
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
