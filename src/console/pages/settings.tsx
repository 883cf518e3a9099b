/**
 * Pieces of the catalogue as YAML: a provider, a model with its routes, a route. A change is shown as
 * what differs before it is made, and is made of the version that it was compared with alone.
 *
 * @module
 */

import type { showModel } from "../../admin/catalogue/models.ts";
import { mayRun } from "../../admin/base/run_operation.ts";
import type { Child } from "@hono/hono/jsx";
import { writeYaml } from "../../documents/write_yaml.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { type Notice, noticeIn, saying } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton, Field, Form, TextField } from "../parts/form.tsx";
import { Facts, Table } from "../parts/table.tsx";
import type { ConsoleApp } from "./page_routes.ts";
import { type PieceKind, PIECES, settingsPath } from "./piece_kinds.ts";
import { routeHealth } from "./route_health.tsx";
import {
  change,
  kindIn,
  NO_VERSION,
  type PieceAnswer,
  remove,
  shownAgain,
  type Written,
  writtenIn,
} from "./written_piece.ts";

const EXAMPLES: Readonly<Record<PieceKind, string>> = {
  provider:
    "kind: openai_compatible\nbase_url: https://api.example.com/v1\napi_key: env:EXAMPLE_API_KEY\n",
  model:
    'kind: chat\nroutes:\n  - id: example/small\n    provider: example\n    upstream_model: small\n    cost: { input: "0.25", output: "2.00" }\n    sale: { markup: "1.10" }\n',
  route: "",
};

/** What the pages of pieces need. */
export interface SettingsDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The file that owns the catalogue; `undefined` where none does. */
  readonly owner: string | undefined;
}

export function mountSettings(app: ConsoleApp, { now, owner }: SettingsDeps): void {
  app.get("/settings/:kind", (context) => {
    const kind = kindIn(context as ConsoleContext);
    return showEditor(context as ConsoleContext, {
      written: { kind, id: "", yaml: EXAMPLES[kind], version: NO_VERSION },
      ownedBy: owner ?? null,
    });
  });

  app.get("/settings/:kind/:id", async (context) => {
    const kind = kindIn(context as ConsoleContext);
    const id = context.req.param("id");
    const piece = await context.var.admin.call(PIECES[kind].show as typeof showModel, { id });
    return showEditor(context as ConsoleContext, {
      written: {
        kind,
        id: piece.id,
        yaml: writeYaml(withoutId(piece.settings)),
        version: piece.version,
      },
      ownedBy: piece.owned_by ?? null,
      notice: noticeIn(context.req.query("done")),
      health: kind === "route"
        ? await routeHealth(context as ConsoleContext, { id: piece.id, at: now() })
        : kind === "provider"
        ? <ProviderTest context={context as ConsoleContext} id={piece.id} />
        : undefined,
    });
  });

  app.post("/settings/:kind/difference", async (context) => {
    const written = writtenIn(context as ConsoleContext);
    const answer = await change(context as ConsoleContext, written, true);
    return showDifference(context as ConsoleContext, written, answer);
  });

  app.post("/settings/:kind/apply", async (context) => {
    const written = writtenIn(context as ConsoleContext);
    await change(context as ConsoleContext, written, false);
    return context.redirect(saying(settingsPath(written.kind, written.id), "changed"), 303);
  });

  app.post("/settings/:kind/removal", async (context) => {
    const written = writtenIn(context as ConsoleContext);
    const answer = await remove(context as ConsoleContext, written, true);
    return showDifference(context as ConsoleContext, written, answer, "delete");
  });

  app.post("/settings/:kind/delete", async (context) => {
    const written = writtenIn(context as ConsoleContext);
    await remove(context as ConsoleContext, written, false);
    return context.redirect(saying(`/console/${written.kind}s`, "deleted"), 303);
  });
}

function ProviderTest(
  { context, id }: { readonly context: ConsoleContext; readonly id: string },
) {
  return (
    <p>
      <ActionButton context={context} action="/console/providers/test" name="Test it">
        <input type="hidden" name="provider" value={id} />
      </ActionButton>
    </p>
  );
}

function withoutId(settings: Record<string, unknown>): object {
  const { id: _id, ...rest } = settings;
  return rest;
}

function showEditor(context: ConsoleContext, { written, ownedBy, notice, health }: {
  readonly written: Written;
  readonly ownedBy: string | null;
  readonly notice?: Notice | undefined;
  /** How it is, beside its settings. */
  readonly health?: Child;
}): Response | Promise<Response> {
  const { kind, id, yaml, version } = written;
  const isNew = version === NO_VERSION;
  const mayChange = mayRun(PIECES[kind].set, context.var.origin.rights) && ownedBy === null;
  const title = isNew ? `New ${kind}` : `${kind[0]!.toUpperCase()}${kind.slice(1)} ${id}`;
  const forms = `/console/settings/${kind}`;
  const again = shownAgain(context, kind);
  return showPage(
    context,
    { title, notice },
    (
      <>
        {ownedBy !== null && (
          <p class="notice warn">
            {`Of ${ownedBy}, which owns the catalogue: change it there, and send the server SIGHUP.`}
          </p>
        )}
        {health}
        {mayChange
          ? (
            <Form
              context={context}
              action={`${forms}/difference`}
              continues={`${forms}/apply`}
              again={again?.fields}
              submit="Show the difference"
            >
              <input type="hidden" name="version" value={version} />
              {isNew
                ? <Field name="id" label="Its id" required value={id} />
                : <input type="hidden" name="id" value={id} />}
              <TextField
                name="yaml"
                param="settings"
                label="Settings, as in a catalogue file"
                rows={22}
                value={yaml}
                note={again?.note}
                isCode
              />
            </Form>
          )
          : !(isNew && ownedBy !== null) && <pre tabindex={0}>{yaml}</pre>}
        <p class="quiet">
          What is left out has its default. A value that is (hidden) stays as it is.
        </p>
        {mayChange && !isNew && (
          <p>
            <ActionButton
              context={context}
              action={`${forms}/removal`}
              name={`Delete ${kind} …`}
              isDangerous
            >
              <input type="hidden" name="id" value={id} />
              <input type="hidden" name="version" value={version} />
            </ActionButton>
          </p>
        )}
      </>
    ),
  );
}

function showDifference(
  context: ConsoleContext,
  { kind, id, yaml, version }: Written,
  { changes, warnings }: PieceAnswer,
  act: "apply" | "delete" = "apply",
): Response | Promise<Response> {
  const page = version === NO_VERSION ? `/console/settings/${kind}` : settingsPath(kind, id);
  const fields = changes.flatMap(({ kind, id, action, fields = [] }) =>
    fields.length === 0
      ? [{ of: `${kind} ${id}`, path: action, before: undefined, after: undefined }]
      : fields.map((field) => ({ of: `${kind} ${id}`, ...field }))
  );
  const value = (one: unknown) => one === undefined ? "–" : JSON.stringify(one);
  return showPage(
    context,
    { title: act === "apply" ? `What changes in ${kind} ${id}` : `Delete ${kind} ${id}?` },
    (
      <>
        {warnings.map((warning) => <p class="notice warn said">{warning}</p>)}
        <Table
          rows={fields}
          caption="The differences"
          none="Nothing differs."
          columns={[
            { header: "Of", value: ({ of }) => of },
            { header: "Setting", value: ({ path }) => path },
            { header: "Now", value: ({ before }) => value(before), kind: "wide" },
            { header: "Then", value: ({ after }) => value(after), kind: "wide" },
          ]}
        />
        <Facts facts={[["Compared with version", <code>{version}</code>]]} />
        {changes.length > 0 && (
          <Form
            context={context}
            action={`/console/settings/${kind}/${act}`}
            page={page}
            submit={act === "apply" ? "Apply" : "Delete"}
          >
            <input type="hidden" name="id" value={id} />
            <input type="hidden" name="version" value={version} />
            {act === "apply" && <input type="hidden" name="yaml" value={yaml} />}
          </Form>
        )}
        <p>
          <a
            class="button"
            href={version === NO_VERSION ? `/console/${kind}s` : settingsPath(kind, id)}
          >
            Leave it as it is
          </a>
        </p>
      </>
    ),
  );
}
