/**
 * Keys: made, shown once, switched off, deleted.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  type KeyRow,
  listKeys,
  resumeKey,
} from "../../admin/accounts/keys.ts";
import { endGrace, rotateKey } from "../../admin/accounts/rotate_key.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton, Field, Form } from "../parts/form.tsx";
import { type Column, Moment, Pager, State, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp, fieldsOf, given } from "./page_routes.ts";

/** What every table of keys shows. */
export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { header: "Key", value: ({ prefix, id }) => <code title={id}>{`${prefix}…`}</code> },
  { header: "For", value: ({ name }) => name || "–", kind: "wide" },
  { header: "State", value: stateOf },
  { header: "Today", value: ({ spent }) => spent.day, kind: "right" },
  { header: "This month", value: ({ spent }) => spent.month, kind: "right" },
  { header: "Models", value: ({ models }) => models?.join(", ") ?? "all", kind: "wide" },
  { header: "Expires", value: ({ expires_at: at }) => <Moment at={at} /> },
];

function stateOf({ disabled, paused, expired, reached_budgets: reached }: KeyRow) {
  if (disabled) return <State kind="bad">disabled</State>;
  if (expired) return <State kind="bad">expired</State>;
  if (paused !== null) return <State kind="bad">paused</State>;
  if (reached.length > 0) return <State kind="warn">budget reached</State>;
  return <State kind="good">active</State>;
}

export function mountKeys(app: ConsoleApp): void {
  app.get("/keys", async (context) => {
    const { after, project } = context.req.query();
    const query = { ...given("after", after), ...given("project", project) };
    const page = await context.var.admin.call(listKeys, query);
    const columns: readonly Column<KeyRow>[] = [
      { header: "Project", value: (row) => row.project },
      ...KEY_COLUMNS,
      { header: "", value: (row) => <Switches context={context} row={row} /> },
    ];
    return showPage(
      context as ConsoleContext,
      { title: "Keys", notice: noticeIn(context.req.query("done")) },
      <>
        <Table
          rows={page.data}
          columns={columns}
          caption={project ? `Keys of ${project}` : "Keys of all projects"}
          none="No keys yet."
        />
        <Pager path="/console/keys" page={page} query={{ after, project }} />
        <h2>New key</h2>
        <Form context={context} action="/console/keys" submit="Make key">
          <Field name="project" label="Project" required value={project ?? ""} />
          <Field name="name" label="What it is for" placeholder="Anna's laptop" />
          <Field name="models" label="Only these models" placeholder="all of the project's" />
          <Field name="expires" label="Expires" placeholder="never, 30d, 2027-01-31" />
          <Field
            name="daily"
            param="budgets.daily"
            label="Daily budget"
            placeholder="none"
          />
        </Form>
      </>,
    );
  });

  app.post("/keys", async (context) => {
    const { project = "", name, models, expires, daily } = fieldsOf(context);
    const made = await context.var.admin.call(createKey, {
      project,
      ...given("name", name),
      ...given("models", models?.split(/[\s,]+/)),
      ...given("expires", expires),
      budgets: given("daily", daily),
    });
    return showNewKey(
      context as ConsoleContext,
      made.key,
      <p>
        {`It is of project ${made.project}. A client takes it as its API key, with the gateway's `}
        <code>/v1</code> as base URL.
      </p>,
    );
  });

  app.post("/keys/:key_id/rotate", async (context) => {
    const key_id = context.req.param("key_id");
    const made = await context.var.admin.call(rotateKey, { key_id });
    return showNewKey(
      context as ConsoleContext,
      made.key,
      <p>
        {"Limits, budgets and what is counted stay. The earlier key works until "}
        <Moment at={made.earlier?.until ?? null} />
        {"; its button among the keys ends it sooner."}
      </p>,
    );
  });

  for (
    const [verb, operation, done] of [
      ["enable", enableKey, "enabled"],
      ["disable", disableKey, "disabled"],
      ["resume", resumeKey, "resumed"],
      ["end-grace", endGrace, "ended"],
      ["delete", deleteKey, "deleted"],
    ] as const
  ) {
    addAction(app, {
      path: `/keys/:key_id/${verb}`,
      operation,
      input: ({ key_id }) => ({ key_id }),
      next: () => "/keys",
      done,
    });
  }
}

/** The page that shows a key, this once. */
function showNewKey(context: ConsoleContext, key: string, more: Child) {
  return showPage(
    context,
    { title: "New key", notice: { kind: "good", text: "Shown this once: copy it now." } },
    <>
      <div class="sheet">
        <pre id="key">{key}</pre>
        <button type="button" data-copy="key">Copy</button>
      </div>
      {more}
      <p>
        <a class="button" href="/console/keys">All keys</a>
      </p>
    </>,
  );
}

function Switches({ context, row }: { readonly context: ConsoleContext; readonly row: KeyRow }) {
  const path = `/console/keys/${encodeURIComponent(row.id)}`;
  return (
    <>
      {row.disabled
        ? <ActionButton context={context} action={`${path}/enable`} name="Enable" />
        : <ActionButton context={context} action={`${path}/disable`} name="Disable" />} {(
          row.paused !== null || row.reached_budgets.length > 0
        ) && <ActionButton context={context} action={`${path}/resume`} name="Resume" />}{" "}
      <ActionButton
        context={context}
        action={`${path}/rotate`}
        name="Rotate"
        ask={`Make key ${row.prefix}… anew? This one works for 24 hours more.`}
      />{" "}
      {row.earlier && (
        <ActionButton
          context={context}
          action={`${path}/end-grace`}
          name="End earlier key"
          ask={`Refuse ${row.earlier.prefix}… at once? It works until ${row.earlier.until}.`}
          isDangerous
        />
      )}{" "}
      <ActionButton
        context={context}
        action={`${path}/delete`}
        name="Delete"
        ask={`Delete key ${row.prefix}… for good?`}
        isDangerous
      />
    </>
  );
}
