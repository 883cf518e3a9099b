/**
 * One key: what it may, what it has spent of that, when it was used last, and the forms that change it.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { type KeyRow, setKey, showKey } from "../../admin/accounts/keys.ts";
import { type ProjectRow, showProject } from "../../admin/accounts/projects.ts";
import { type CallRow, listCalls } from "../../admin/list_calls.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn, saying } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { Result } from "../parts/call_result.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Link, LinkButton } from "../parts/link.tsx";
import { Facts, Moment } from "../parts/table.tsx";
import {
  addBoundActions,
  boundFacts,
  BudgetsForm,
  LimitsForm,
  stateOfAccount,
} from "./account_parts.tsx";
import { KeySwitches, pathOfKey } from "./keys.tsx";
import { type ConsoleApp, fieldsOf, wordsOf } from "./page_routes.ts";

/** What the page takes, at most, to look for the last call; those of rare keys are far back. */
const WITHIN_MS = 120;

export function mountKey(app: ConsoleApp): void {
  app.get("/keys/:key_id", (context) => showOneKey(context as ConsoleContext));

  app.post("/keys/:key_id/settings", async (context) => {
    const { key_id = "", name = "", models, expires, shown_expires } = fieldsOf(context);
    const { warnings } = await context.var.admin.call(setKey, {
      key_id,
      name,
      models: wordsOf(models) ?? null,
      // A key that has expired may have another name, too: what is past would be refused.
      ...(expires !== shown_expires && { expires: expires ?? null }),
    });
    const done = warnings.length > 0 ? "changed_unfit" : "changed";
    return context.redirect(saying(pathOfKey(key_id), done), 303);
  });

  addBoundActions(app, {
    path: "/keys/:key_id",
    operation: setKey,
    named: ({ key_id }) => ({ key_id }),
    next: ({ key_id = "" }) => `/keys/${encodeURIComponent(key_id)}`,
  });
}

async function showOneKey(context: ConsoleContext): Promise<Response> {
  const { admin } = context.var;
  const row = await admin.call(showKey, { key_id: context.req.param("key_id")! });
  const [project, calls] = await Promise.all([
    admin.call(showProject, { project: row.project }),
    admin.call(listCalls, { key: row.id, limit: 1, within_ms: WITHIN_MS }),
  ]);
  const path = pathOfKey(row.id);
  return showPage(
    context,
    { title: `Key ${row.prefix}…`, notice: noticeIn(context.req.query("done")) },
    <>
      <Facts
        facts={[
          ...identityFacts(context, { row, project }),
          [
            "Last call",
            <LastCall context={context} call={calls.data[0]} isCut={"cut" in calls} />,
          ],
          ...boundFacts(row, project.currency),
          [
            "Models",
            row.models?.join(", ") ?? `all of the project's: ${project.models.join(", ")}`,
          ],
        ]}
      />
      <p>
        <KeySwitches context={context} row={row} isPage />{" "}
        <LinkButton context={context} to={`/console/calls?key=${encodeURIComponent(row.id)}`}>
          Its calls
        </LinkButton>
      </p>
      <Settings context={context} row={row} />
      <BudgetsForm context={context} row={row} path={path} />
      <LimitsForm context={context} row={row} path={path} />
    </>,
  );
}

function identityFacts(
  context: ConsoleContext,
  { row, project }: { readonly row: KeyRow; readonly project: ProjectRow },
): readonly (readonly [string, Child])[] {
  const { disabled, paused, reached_budgets: reached } = project;
  const isHeld = disabled || paused !== null || reached.length > 0;
  return [
    ["State", stateOfAccount(row)],
    ["For", row.name],
    [
      "Project",
      <>
        <Link context={context} to={`/console/projects/${encodeURIComponent(project.id)}`}>
          {project.id}
        </Link>{" "}
        {isHeld && stateOfAccount(project)}
      </>,
    ],
    ["Id", <code>{row.id}</code>],
    ["Begins with", <code>{row.prefix}</code>],
    [
      "Earlier key",
      row.earlier && (
        <>
          <code>{`${row.earlier.prefix}…`}</code> works until <Moment at={row.earlier.until} />
        </>
      ),
    ],
    ["Created", <Moment at={row.created_at} />],
    ["Expires", row.expires_at === null ? "never" : <Moment at={row.expires_at} />],
  ];
}

function LastCall({ context, call, isCut }: {
  readonly context: ConsoleContext;
  readonly call: CallRow | undefined;
  /** Whether there may be one farther back than was looked. */
  readonly isCut: boolean;
}) {
  if (call === undefined) return isCut ? "none of late" : "none that is kept";
  return (
    <>
      <Link context={context} to={`/console/calls/${encodeURIComponent(call.request_id)}`}>
        <Moment at={call.opened_at} />
      </Link>{" "}
      <Result row={call} />
    </>
  );
}

function Settings({ context, row }: { readonly context: ConsoleContext; readonly row: KeyRow }) {
  return (
    <Form
      context={context}
      action={`${pathOfKey(row.id)}/settings`}
      heading="Settings"
      submit="Change settings"
    >
      <Field name="name" label="What it is for" value={row.name} />
      <Field
        name="models"
        label="Only these models (empty: all of the project's)"
        value={row.models?.join(", ") ?? ""}
      />
      <Field
        name="expires"
        label="Expires (empty: never)"
        placeholder="30d, 2027-01-31"
        value={row.expires_at ?? ""}
      />
      <input type="hidden" name="shown_expires" value={row.expires_at ?? ""} />
    </Form>
  );
}
