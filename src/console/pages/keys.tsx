/**
 * Keys: listed, made, shown once, switched off, deleted.
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
import { type Column, Moment, Pager, Table } from "../parts/table.tsx";
import { isHeldBack, stateOfAccount } from "./account_parts.tsx";
import { addAction, type ConsoleApp, fieldsOf, given, wordsOf } from "./page_routes.ts";

/** What every table of keys shows. */
export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  {
    header: "Key",
    value: ({ prefix, id }) => (
      <a href={pathOfKey(id)} title={id}>
        <code>{`${prefix}…`}</code>
      </a>
    ),
  },
  { header: "For", value: ({ name }) => name || "–", kind: "wide" },
  { header: "State", value: stateOfAccount },
  { header: "Today", value: ({ spent }) => spent.day, kind: "right" },
  { header: "This month", value: ({ spent }) => spent.month, kind: "right" },
  { header: "Models", value: ({ models }) => models?.join(", ") ?? "all", kind: "wide" },
  { header: "Expires", value: ({ expires_at: at }) => <Moment at={at} /> },
];

/** The page of one. */
export function pathOfKey(id: string): string {
  return `/console/keys/${encodeURIComponent(id)}`;
}

export function mountKeys(app: ConsoleApp): void {
  app.get("/keys", async (context) => {
    const { after, project } = context.req.query();
    const query = { ...given("after", after), ...given("project", project) };
    const page = await context.var.admin.call(listKeys, query);
    const columns: readonly Column<KeyRow>[] = [
      { header: "Project", value: (row) => row.project },
      ...KEY_COLUMNS,
      { header: "", value: (row) => <KeySwitches context={context} row={row} /> },
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
        <Form context={context} action="/console/keys" heading="New key" submit="Make key">
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
      ...given("models", wordsOf(models)),
      ...given("expires", expires),
      budgets: given("daily", daily),
    });
    return showNewKey(
      context as ConsoleContext,
      made,
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
      made,
      <p>
        {"Limits, budgets and what is counted stay. The earlier key works until "}
        <Moment at={made.earlier?.until ?? null} />
        {"; its button on the key's page ends it sooner."}
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
      next: ({ key_id = "", back }) =>
        back === "key" && verb !== "delete" ? `/keys/${encodeURIComponent(key_id)}` : "/keys",
      done,
    });
  }
}

/** The page that shows a key, this once. */
function showNewKey(
  context: ConsoleContext,
  { id, key }: { readonly id: string; readonly key: string },
  more: Child,
) {
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
        <a class="button" href={pathOfKey(id)}>Limits and budgets</a>{" "}
        <a class="button" href="/console/keys">All keys</a>
      </p>
    </>,
  );
}

/**
 * What is done to a key by one button; whatever may not be done by who is signed in is not there.
 *
 * @param isPage On the key's own page, to which they lead back; otherwise to all keys.
 */
export function KeySwitches({ context, row, isPage = false }: {
  readonly context: ConsoleContext;
  readonly row: KeyRow;
  readonly isPage?: boolean;
}) {
  const path = pathOfKey(row.id);
  const back = isPage && <input type="hidden" name="back" value="key" />;
  return (
    <>
      <ActionButton
        context={context}
        action={`${path}/${row.disabled ? "enable" : "disable"}`}
        name={row.disabled ? "Enable" : "Disable"}
      >
        {back}
      </ActionButton>{" "}
      {isHeldBack(row) && (
        <ActionButton context={context} action={`${path}/resume`} name="Resume">
          {back}
        </ActionButton>
      )}{" "}
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
        >
          {back}
        </ActionButton>
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
