/**
 * What a change of a piece of the catalogue would do, before it is done: also where somebody else has
 * changed the piece meanwhile.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import type { showModel } from "../../admin/catalogue/models.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { mayOpen } from "../frame/doors.ts";
import { NoticeBox, showPage } from "../frame/page.tsx";
import type { SealedTexts } from "../frame/sealed_text.ts";
import { Form } from "../parts/form.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { EditForm } from "./piece_editor.tsx";
import { PIECES, settingsPath } from "./piece_kinds.ts";
import {
  change,
  concealedYaml,
  NO_VERSION,
  type PieceAnswer,
  sealWritten,
  type Written,
} from "./written_piece.ts";

/** Answers with what a text would change, and the button that applies it. */
export function showDifference(
  context: ConsoleContext,
  { written, answer, texts }: {
    readonly written: Written;
    readonly answer: PieceAnswer;
    readonly texts: SealedTexts;
  },
): Response | Promise<Response> {
  const { kind, id } = written;
  return showPage(
    context,
    { title: `What changes in ${kind} ${id}` },
    <Difference written={written} answer={answer}>
      <ApplyForm context={context} written={written} texts={texts} submit="Apply" />
    </Difference>,
  );
}

/** Answers with what a removal would take away, and the button that does it. */
export function showRemoval(
  context: ConsoleContext,
  written: Written,
  answer: PieceAnswer,
): Response | Promise<Response> {
  const { kind, id, version } = written;
  return showPage(
    context,
    { title: `Delete ${kind} ${id}?` },
    <Difference written={written} answer={answer}>
      <Form
        context={context}
        action={`/console/settings/${kind}/delete`}
        page={pageOf(written)}
        submit="Delete"
      >
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="version" value={version} />
      </Form>
    </Difference>,
  );
}

/**
 * Answers a change of a piece that is another one by now: with what differs between what was written and
 * what is there, and a button that puts the one over the other.
 *
 * @throws {GatewayError} What is wrong with the text, or `version_conflict` where the piece is changed
 * once more at that moment.
 */
export async function showConflict(
  context: ConsoleContext,
  outdated: Written,
  texts: SealedTexts,
): Promise<Response> {
  const { kind, id, yaml } = outdated;
  const written = { ...outdated, version: await versionNow(context, outdated) };
  const answer = await change(context, written, true);
  const { text, note } = concealedYaml(kind, yaml);
  const isGone = written.version === NO_VERSION;
  const audit = `/console/audit?${new URLSearchParams({ subject: `${kind}:${id}` })}`;
  const what = isGone
    ? `Nothing was changed: the ${kind} ${id} was deleted since you opened it.`
    : outdated.version === NO_VERSION
    ? `Nothing was changed: there is a ${kind} ${id} already.`
    : `Nothing was changed: somebody has changed the ${kind} ${id} since you opened it.`;
  return await showPage(
    context,
    { title: `Changed meanwhile: ${kind} ${id}`, status: 409 },
    <>
      <NoticeBox kind="bad" text={what} />
      {mayOpen(context.var.rights, audit) && (
        <p>
          Who did that: <a href={audit}>audit log</a>
        </p>
      )}
      <p class="sheet">
        The table has all that differs between what is there now and what you wrote: where you did
        not mean to change it, it is the other's change, which yours would take back.
      </p>
      <Difference written={written} answer={answer}>
        <ApplyForm
          context={context}
          written={written}
          texts={texts}
          submit={isGone ? "Make it again as I wrote it" : "Overwrite it with what I wrote"}
        />
        <EditForm
          context={context}
          heading="Or change what you wrote"
          page={pageOf(written)}
          written={{ ...written, yaml: text }}
          note={note}
        />
      </Difference>
    </>,
  );
}

/** The version of the piece as it is. */
async function versionNow(
  { var: { admin } }: ConsoleContext,
  { kind, id }: Written,
): Promise<string> {
  try {
    return (await admin.call(PIECES[kind].show as typeof showModel, { id })).version;
  } catch (error) {
    if (!(error instanceof GatewayError && error.error === "not_found")) throw error;
    return NO_VERSION;
  }
}

/** The page that has the editor of a piece, in the version that it is compared with. */
function pageOf({ kind, id, version }: Written): string {
  return version === NO_VERSION ? `/console/settings/${kind}` : settingsPath(kind, id);
}

/** The button that applies what was written; what that is, its page shows to nobody. */
function ApplyForm({ context, written, texts, submit }: {
  readonly context: ConsoleContext;
  readonly written: Written;
  readonly texts: SealedTexts;
  readonly submit: string;
}) {
  const { kind, id, version } = written;
  return (
    <Form
      context={context}
      action={`/console/settings/${kind}/apply`}
      page={pageOf(written)}
      submit={submit}
    >
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="sealed" value={sealWritten(context, written, texts)} />
    </Form>
  );
}

/** The differences in a table, and the forms that make them where there are any. */
function Difference({ written, answer: { changes, warnings }, children }: {
  readonly written: Written;
  readonly answer: PieceAnswer;
  readonly children?: Child;
}) {
  const { kind, version } = written;
  const fields = changes.flatMap(({ kind, id, action, fields = [] }) =>
    fields.length === 0
      ? [{ of: `${kind} ${id}`, path: action, before: undefined, after: undefined }]
      : fields.map((field) => ({ of: `${kind} ${id}`, ...field }))
  );
  const value = (one: unknown) => one === undefined ? "–" : JSON.stringify(one);
  return (
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
      {changes.length > 0 && children}
      <p>
        <a class="button" href={version === NO_VERSION ? `/console/${kind}s` : pageOf(written)}>
          Leave it as it is
        </a>
      </p>
    </>
  );
}
