/**
 * Projects: their settings, their switch and their credit.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Project } from "../../domain/account.ts";
import { formatAmount } from "../../domain/money.ts";
import { shownAmount, shownCount, warningsField } from "../base/fields.ts";
import { commitChange } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { refuseWhereFileOwns, unknownName } from "../base/not_found.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { pageAnswer, pageFields } from "../base/page.ts";
import {
  accountFields,
  type AccountKind,
  accountOperations,
  accountRowOf,
  changeAccount,
  pageOfAccounts,
  requireAccount,
  settingsOf,
} from "./account.ts";
import { heldToProject } from "./own_project.ts";
import {
  budgets,
  limits,
  modelPatternsField,
  patternWarnings,
  quotas,
  shownQuotas,
} from "./bounds.ts";

const shownProject = z.object({
  id: z.string(),
  balance: shownAmount.describe("What it can still spend"),
  held: shownAmount.describe("What its calls under way hold"),
  currency: z.string(),
  unlimited: z.boolean(),
  models: z.array(z.string()),
  quotas: shownQuotas.describe("Of its own; where it has none, it is as for every project"),
  kept: z.object({ bytes: shownCount, most_bytes: shownCount })
    .describe("What is kept of its answers, and the most that is"),
  ...accountFields,
});

export type ProjectRow = Shown<typeof shownProject>;

const changedProject = shownProject.extend({ warnings: warningsField });

/** The project that an operation is about. */
export const projectField = z.string().min(1).describe("the project");

const byProject = z.strictObject({ project: projectField });

/** Projects among {@linkcode AccountKind}s. */
export const PROJECTS: AccountKind<Project, typeof byProject, typeof shownProject> = {
  scope: "project",
  path: "/projects/{project}",
  input: byProject,
  idOf: ({ project }) => project,
  shown: shownProject,
  row(deps, project) {
    const { avail, held } = deps.ledger.balanceOf(project.id);
    return {
      id: project.id,
      balance: formatAmount(avail),
      held: formatAmount(held),
      currency: deps.catalogue.current.catalogue.currency,
      unlimited: project.unlimited,
      models: project.models,
      quotas: quotas.show(project.quotas),
      kept: { bytes: deps.room.bytesOf(project.id), most_bytes: deps.room.mostBytesOf(project.id) },
      ...accountRowOf(deps, "project", project),
    };
  },
  find: ({ directory }, id) => directory.project(id),
  missing: ({ directory }, id) =>
    unknownName("project", id, directory.projects().map((project) => project.id)),
  heldTo: heldToProject,
  update: (project) => ({ kind: "update_project", project }),
  put: ({ directory }, project) => directory.putProject(project),
};

const projectId = z.string().regex(
  /^[a-z0-9][a-z0-9._-]{0,63}$/,
  "Expected at most 64 lower-case letters, digits, '.', '_' and '-', starting with a letter or digit",
).describe("lower-case letters, digits, '.', '_', '-'");

const unlimitedField = z.boolean().describe("meter and price its calls, never charge them");
const modelsField = modelPatternsField.describe("models it may use: ids, prefix*, *");

export const createProject = defineOperation({
  name: "projects.create",
  method: "POST",
  path: "/projects",
  role: "operator",
  changes: "project",
  summary: "Create a project with a balance of 0.",
  input: z.strictObject({
    id: projectId,
    unlimited: unlimitedField.default(false),
    models: modelsField.default(["*"]).describe("models it may use: ids, prefix*, * (default: *)"),
    limits: limits.field.default({}),
    budgets: budgets.field.default({}),
    quotas: quotas.field.prefault({}),
  }),
  output: changedProject,
  errors: [],
  async run(deps, { id, unlimited, models, ...bounds }) {
    refuseWhereFileOwns(deps, "project settings");
    const project: Project = {
      id,
      unlimited,
      disabled: false,
      models,
      limits: limits.read(bounds.limits),
      budgets: budgets.read(bounds.budgets),
      quotas: quotas.read(bounds.quotas),
      createdAt: deps.clock.now(),
    };
    await commitChange(deps, {
      id,
      after: settingsOf(deps, PROJECTS, project),
      entries: [{ kind: "create_project", project }],
      put: () => PROJECTS.put(deps, project),
    }, { conflict: `Project '${id}' exists already: change it with \`tollgate projects set\`` });
    return { ...PROJECTS.row(deps, project), warnings: patternWarnings(deps, models) };
  },
});

export const listProjects = defineOperation({
  name: "projects.list",
  method: "GET",
  path: "/projects",
  role: "viewer",
  summary: "List projects with their balances.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownProject),
  errors: [],
  run: (deps, page) =>
    pageOfAccounts(
      deps,
      PROJECTS,
      page,
      (after, most) => deps.storage.accounts.projectIds(after?.id, most),
    ),
});

export const setProject = defineOperation({
  name: "projects.set",
  method: "POST",
  path: PROJECTS.path,
  role: "operator",
  changes: "project",
  summary:
    "Change the given settings of a project; a limit, budget or quota of null is taken away.",
  input: byProject.extend({
    unlimited: unlimitedField.optional()
      .register(optionWords, { no: "charge its calls to its balance" }),
    models: modelsField.optional(),
    limits: limits.patch.optional(),
    budgets: budgets.patch.optional(),
    quotas: quotas.patch.optional(),
  }),
  output: changedProject,
  errors: ["not_found"],
  async run(deps, { project: id, unlimited, models, ...bounds }) {
    refuseWhereFileOwns(deps, "project settings");
    const row = await changeAccount(deps, PROJECTS, {
      id,
      change: (before) => ({
        ...before,
        unlimited: unlimited ?? before.unlimited,
        models: models ?? before.models,
        limits: limits.change(before.limits, bounds.limits),
        budgets: budgets.change(before.budgets, bounds.budgets),
        quotas: quotas.change(before.quotas, bounds.quotas),
      }),
    });
    return { ...row, warnings: patternWarnings(deps, models) };
  },
});

export const {
  show: showProject,
  enable: enableProject,
  disable: disableProject,
  resume: resumeProject,
} = accountOperations(PROJECTS, {
  show: "Show a project with its balance.",
  enable: "Let a project's keys be used again.",
  disable: "Refuse every key of a project, at once.",
});

/** @throws {GatewayError} `not_found` */
export function requireProject(deps: AdminDeps, id: string): Project {
  return requireAccount(deps, PROJECTS, id);
}
