/**
 * Forms: each carries its session's token, and says where it goes.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import type { ConsoleContext } from "../frame/console_env.ts";
import { maySend } from "../frame/doors.ts";

/** What every form has. */
interface FormParts {
  readonly context: ConsoleContext;
  readonly action: string;
  readonly children?: Child;
  /** A question that is asked first. */
  readonly ask?: string;
}

function Token({ context }: { readonly context: ConsoleContext }) {
  return <input type="hidden" name="form_token" value={context.var.formToken} />;
}

/** Fields and a button; nothing for who may not send them. */
export function Form(
  { context, action, children, submit, ask }: FormParts & { readonly submit: string },
) {
  if (!maySend(context.var.rights, action)) return null;
  return (
    <form method="post" action={action} class="fields sheet" data-ask={ask}>
      <Token context={context} />
      {children}
      <button type="submit" class="main">{submit}</button>
    </form>
  );
}

/** A button that does one thing; nothing for who may not do it. */
export function ActionButton(
  { context, action, name, ask, isDangerous = false, children }: FormParts & {
    readonly name: string;
    readonly isDangerous?: boolean;
  },
) {
  if (!maySend(context.var.rights, action)) return null;
  return (
    <form method="post" action={action} class="inline" data-ask={ask}>
      <Token context={context} />
      {children}
      <button type="submit" class={isDangerous ? "danger" : ""}>{name}</button>
    </form>
  );
}

/** A field with its name above it. */
export function Field(
  { name, label, ...rest }: {
    readonly name: string;
    readonly label: string;
    readonly value?: string | undefined;
    readonly placeholder?: string;
    readonly required?: boolean;
    readonly pattern?: string;
    readonly title?: string;
    readonly type?: string;
    readonly autocomplete?: string;
    readonly list?: string;
    readonly inputmode?: "numeric" | "decimal";
  },
) {
  return (
    <label>
      {label}
      <input name={name} autocomplete="off" {...rest} />
    </label>
  );
}
