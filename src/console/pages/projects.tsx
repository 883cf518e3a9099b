/**
 * Projects: who pays, and what each may spend.
 *
 * @module
 */

import { creditProject } from "../../admin/accounts/credit_project.ts";
import { listKeys } from "../../admin/accounts/keys.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  type ProjectRow,
  resumeProject,
  setProject,
  showProject,
} from "../../admin/accounts/projects.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn, saying } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton, Field, Form, Tick } from "../parts/form.tsx";
import { ExportLinks } from "../parts/export_links.tsx";
import { type Column, Facts, Moment, Pager, Table } from "../parts/table.tsx";
import {
  addBoundActions,
  boundFacts,
  BudgetsForm,
  isHeldBack,
  LimitsForm,
  stateOfAccount,
} from "./account_parts.tsx";
import { KeptPrompts, mountKeptPrompts } from "./kept_prompts.tsx";
import { KEY_COLUMNS } from "./keys.tsx";
import { addAction, type ConsoleApp, fieldsOf, given, wordsOf } from "./page_routes.ts";

const COLUMNS: readonly Column<ProjectRow>[] = [
  { header: "Project", value: ({ id }) => <a href={pathOf(id)}>{id}</a> },
  { header: "State", value: stateOfAccount },
  {
    header: "Balance",
    value: ({ balance, currency, unlimited }) => unlimited ? "unlimited" : `${balance} ${currency}`,
    kind: "right",
  },
  { header: "Held", value: ({ held }) => held, kind: "right" },
  { header: "Today", value: ({ spent }) => spent.day, kind: "right" },
  { header: "This month", value: ({ spent }) => spent.month, kind: "right" },
  { header: "Models", value: ({ models }) => models.join(", "), kind: "wide" },
];

function pathOf(id: string): string {
  return `/console/projects/${encodeURIComponent(id)}`;
}

export function mountProjects(app: ConsoleApp): void {
  app.get("/projects", async (context) => {
    const { after } = context.req.query();
    const page = await context.var.admin.call(listProjects, given("after", after));
    return showPage(
      context as ConsoleContext,
      { title: "Projects", notice: noticeIn(context.req.query("done")) },
      <>
        <Table rows={page.data} columns={COLUMNS} caption="Projects" none="No projects yet." />
        <Pager path="/console/projects" page={page} query={{ after }} />
        <Form
          context={context}
          action="/console/projects"
          heading="New project"
          submit="Create project"
        >
          <Field
            name="id"
            label="Name"
            required
            pattern="[a-z0-9][a-z0-9._\-]{0,63}"
            title="Lower-case letters, digits, '.', '_' and '-'"
            placeholder="shop"
          />
          <Field name="models" label="Models it may use" placeholder="* (all)" />
          <Field
            name="daily"
            param="budgets.daily"
            label="Daily budget"
            placeholder="none"
          />
          <Field
            name="monthly"
            param="budgets.monthly"
            label="Monthly budget"
            placeholder="none"
          />
          <Tick name="unlimited" label="Metered, never charged" />
        </Form>
      </>,
    );
  });

  app.post("/projects", async (context) => {
    const { id = "", models, daily, monthly, unlimited } = fieldsOf(context);
    await context.var.admin.call(createProject, {
      id,
      unlimited: unlimited === "yes",
      ...given("models", wordsOf(models)),
      budgets: { ...given("daily", daily), ...given("monthly", monthly) },
    });
    return context.redirect(saying(pathOf(id), "created"), 303);
  });

  app.get("/projects/:project", async (context) => {
    const project = context.req.param("project");
    const { admin } = context.var;
    const [row, keys] = await Promise.all([
      admin.call(showProject, { project }),
      admin.call(listKeys, { project, limit: 100 }),
    ]);
    return showPage(
      context as ConsoleContext,
      { title: `Project ${project}`, notice: noticeIn(context.req.query("done")) },
      <>
        <ProjectFacts row={row} />
        <p>
          <Switch context={context} row={row} />
        </p>
        <Form
          context={context}
          action={`${pathOf(project)}/credit`}
          heading="Credit"
          submit="Add credit"
        >
          <Field name="amount" label={`Amount in ${row.currency}`} required placeholder="25.00" />
          <Field
            name="reference"
            label="Reference (one credits once)"
            placeholder="invoice-1047"
          />
        </Form>
        <BudgetsForm context={context as ConsoleContext} row={row} path={pathOf(project)} />
        <LimitsForm context={context as ConsoleContext} row={row} path={pathOf(project)} />
        <KeptPrompts context={context as ConsoleContext} row={row} />
        <h2>Keys</h2>
        <Table rows={keys.data} columns={KEY_COLUMNS} caption="Keys" none="No keys yet." />
        <ExportLinks path="/console/export/keys" query={{ project }} what="All of its keys" />
        <p>
          <a class="button" href={`/console/keys?project=${encodeURIComponent(project)}`}>
            Make a key
          </a>
        </p>
      </>,
    );
  });

  const next = ({ project = "" }) => `/projects/${encodeURIComponent(project)}`;
  for (
    const [verb, operation, done] of [
      ["enable", enableProject, "enabled"],
      ["disable", disableProject, "disabled"],
      ["resume", resumeProject, "resumed"],
    ] as const
  ) {
    addAction(app, {
      path: `/projects/:project/${verb}`,
      operation,
      input: ({ project }) => ({ project }),
      next,
      done,
    });
  }
  addBoundActions(app, {
    path: "/projects/:project",
    operation: setProject,
    named: ({ project }) => ({ project }),
    next,
  });
  mountKeptPrompts(app);
  app.post("/projects/:project/credit", async (context) => {
    const { project = "", amount = "", reference } = fieldsOf(context);
    const input = { project, amount, ...given("reference", reference) };
    const { repeated } = await context.var.admin.call(creditProject, input);
    return context.redirect(saying(pathOf(project), repeated ? "repeated" : "credited"), 303);
  });
}

function ProjectFacts({ row }: { readonly row: ProjectRow }) {
  const { currency } = row;
  return (
    <Facts
      facts={[
        ["State", stateOfAccount(row)],
        ["Balance", row.unlimited ? "unlimited" : `${row.balance} ${currency}`],
        ["Held by calls under way", `${row.held} ${currency}`],
        ...boundFacts(row, currency),
        ["Models", row.models.join(", ")],
        ["Kept answers", `${row.kept.bytes} of ${row.kept.most_bytes} bytes`],
        ["Created", <Moment at={row.created_at} />],
      ]}
    />
  );
}

function Switch(
  { context, row }: { readonly context: ConsoleContext; readonly row: ProjectRow },
) {
  const path = pathOf(row.id);
  return (
    <>
      {row.disabled
        ? <ActionButton context={context} action={`${path}/enable`} name="Enable" />
        : (
          <ActionButton
            context={context}
            action={`${path}/disable`}
            name="Disable"
            ask={`Refuse every key of project ${row.id} from now on?`}
            isDangerous
          />
        )}{" "}
      {isHeldBack(row) && (
        <ActionButton context={context} action={`${path}/resume`} name="Resume spending" />
      )}
    </>
  );
}
