/**
 * The editor of a piece of the catalogue: its settings as YAML, as a catalogue file has them.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { mayRun } from "../../admin/base/run_operation.ts";
import type { ConsoleContext, FormFields } from "../frame/console_env.ts";
import type { Notice } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import type { SealedTexts } from "../frame/sealed_text.ts";
import { ActionButton, Field, Form, TextField } from "../parts/form.tsx";
import { PIECES } from "./piece_kinds.ts";
import { NO_VERSION, shownAgain, type Written } from "./written_piece.ts";

/** Answers with the editor; with the settings alone for who may not change them. */
export function showEditor(context: ConsoleContext, { written, ownedBy, texts, notice, health }: {
  readonly written: Written;
  /** The file that owns the catalogue. */
  readonly ownedBy: string | null;
  readonly texts: SealedTexts;
  readonly notice?: Notice | undefined;
  /** How it is, beside its settings. */
  readonly health?: Child;
}): Response | Promise<Response> {
  const { kind, id, yaml, version } = written;
  const isNew = version === NO_VERSION;
  const mayChange = mayRun(PIECES[kind].set, context.var.origin.rights) && ownedBy === null;
  const title = isNew ? `New ${kind}` : `${kind[0]!.toUpperCase()}${kind.slice(1)} ${id}`;
  const forms = `/console/settings/${kind}`;
  const again = shownAgain(context, kind, texts);
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
            <EditForm
              context={context}
              // What was refused is still compared with what it was written for.
              written={{ ...written, version: again?.fields.version ?? version }}
              again={again?.fields}
              note={again?.note}
            />
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

/** The form that shows the difference that a text would make. */
export function EditForm({ context, written, heading, page, again, note }: {
  readonly context: ConsoleContext;
  readonly written: Written;
  readonly heading?: string;
  /** The page that is shown again where it is refused; its own where absent. */
  readonly page?: string;
  /** What is shown where it was refused. */
  readonly again?: FormFields | undefined;
  /** What is said at the text. */
  readonly note?: string | undefined;
}) {
  const { kind, id, yaml, version } = written;
  const forms = `/console/settings/${kind}`;
  return (
    <Form
      context={context}
      page={page}
      heading={heading}
      action={`${forms}/difference`}
      continues={`${forms}/apply`}
      again={again}
      submit="Show the difference"
    >
      <input type="hidden" name="version" value={version} />
      {version === NO_VERSION
        ? <Field name="id" label="Its id" required value={id} />
        : <input type="hidden" name="id" value={id} />}
      <TextField
        name="yaml"
        param="settings"
        label="Settings, as in a catalogue file"
        rows={22}
        value={yaml}
        note={note}
        isCode
      />
    </Form>
  );
}
