/**
 * Forms: each carries its session's token and its page's address, and says where it goes. One that was
 * refused is there again with what was typed, and says at the field what is wrong with it.
 *
 * @module
 */

import { type Child, createContext, useContext } from "@hono/hono/jsx";
import type { GatewayError } from "../../errors.ts";
import type { ConsoleContext, FormFields } from "../frame/console_env.ts";
import { maySend } from "../frame/doors.ts";

/** What every form has. */
interface FormParts {
  readonly context: ConsoleContext;
  readonly action: string;
  readonly children?: Child;
  /** A question that is asked first. */
  readonly ask?: string;
  /** The page that is shown again when it is refused; its own where absent. */
  readonly page?: string;
}

/** What was typed into the form around a field, as it is shown again, where that was refused. */
const Refused = createContext<
  { readonly fields: FormFields; readonly error: GatewayError } | undefined
>(undefined);

/** What no page shows, of whichever form it is. */
function Hidden({ context, page }: Pick<FormParts, "context" | "page">) {
  const { pathname, search } = new URL(context.req.url);
  return (
    <>
      <input type="hidden" name="form_token" value={context.var.formToken} />
      <input type="hidden" name="form_page" value={page ?? pathname + search} />
    </>
  );
}

/**
 * Fields and a button; nothing, the heading neither, for who may not send them.
 *
 * @param continues The action of the form that confirms it: where that is refused, this one has what
 * was typed.
 * @param again What is shown of that where it is refused; all of it where absent.
 */
export function Form(
  { context, action, children, heading, submit, ask, page, continues, again }: FormParts & {
    readonly heading?: string;
    readonly submit: string;
    readonly continues?: string;
    readonly again?: FormFields | undefined;
  },
) {
  if (!maySend(context.var.rights, action)) return null;
  const { refused } = context.env;
  const isRefused = refused !== undefined && [action, continues].includes(refused.action);
  const shown = isRefused ? { ...refused, fields: again ?? refused.fields } : undefined;
  return (
    <>
      {heading !== undefined && <h2>{heading}</h2>}
      <form method="post" action={action} class="fields sheet" data-ask={ask}>
        <Hidden context={context} page={page} />
        <Refused.Provider value={shown}>{children}</Refused.Provider>
        <button type="submit" class="main">{submit}</button>
      </form>
    </>
  );
}

/** A button that does one thing; nothing for who may not do it. */
export function ActionButton(
  { context, action, name, ask, page, isDangerous = false, children }: FormParts & {
    readonly name: string;
    readonly isDangerous?: boolean;
  },
) {
  if (!maySend(context.var.rights, action)) return null;
  return (
    <form method="post" action={action} class="inline" data-ask={ask}>
      <Hidden context={context} page={page} />
      {children}
      <button type="submit" class={isDangerous ? "danger" : ""}>{name}</button>
    </form>
  );
}

/** What every field has. */
interface FieldParts {
  readonly name: string;
  readonly label: string;
  /** Where the operation has its value, as refusals name it: `budgets.daily`; its name where absent. */
  readonly param?: string;
}

/** What a field says of a refusal: what was typed, and what is wrong with it if it is that. */
function refusalAt({ name, param = name }: Pick<FieldParts, "name" | "param">) {
  const refused = useContext(Refused);
  const wrong = refused?.error.param;
  const isWrong = wrong !== undefined && wrong !== null &&
    (wrong === param || wrong.startsWith(`${param}.`) || wrong.startsWith(`${param}[`));
  const id = `wrong-${name}`;
  return {
    typed: refused && (refused.fields[name] ?? ""),
    marks: isWrong ? { "aria-invalid": "true", "aria-describedby": id, autofocus: true } : {},
    words: isWrong && <span class="wrong" id={id}>{refused!.error.message}</span>,
  } as const;
}

/** A field with its name above it. */
export function Field(
  { label, param, value, ...rest }: FieldParts & {
    readonly value?: string | undefined;
    readonly placeholder?: string;
    readonly required?: boolean;
    readonly pattern?: string;
    readonly title?: string;
    readonly autocomplete?: string;
    readonly list?: string;
    readonly inputmode?: "numeric" | "decimal";
  },
) {
  const { typed, marks, words } = refusalAt({ name: rest.name, param });
  return (
    <label>
      {label}
      <input autocomplete="off" {...rest} value={typed ?? value} {...marks} />
      {words}
    </label>
  );
}

/** A field of several lines. */
export function TextField(
  { name, label, param, value, rows, note, isCode = false }: FieldParts & {
    readonly value: string;
    readonly rows: number;
    /** What is to be known of what it holds. */
    readonly note?: string | undefined;
    /** Whether it is read as code, over the whole width. */
    readonly isCode?: boolean;
  },
) {
  const { typed, marks, words } = refusalAt({ name, param });
  return (
    <label class={isCode ? "whole" : undefined}>
      {label}
      {note !== undefined && <span class="wrong">{note}</span>}
      <textarea
        name={name}
        rows={rows}
        class={isCode ? "code" : undefined}
        spellcheck={false}
        {...marks}
      >
        {typed ?? value}
      </textarea>
      {words}
    </label>
  );
}

/** A box to tick; the form has `yes` under its name where it is. */
export function Tick({ name, label }: Pick<FieldParts, "name" | "label">) {
  const { typed } = refusalAt({ name });
  return (
    <label class="check">
      <input type="checkbox" name={name} value="yes" checked={typed === "yes"} />
      {label}
    </label>
  );
}
