/**
 * Links from page to page, for those who may go there.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import type { ConsoleContext } from "../frame/console_env.ts";
import { mayOpen } from "../frame/doors.ts";

interface LinkParts {
  readonly context: ConsoleContext;
  /** From `/console` on. */
  readonly to: string;
  readonly children?: Child;
}

/** What leads somewhere; its words alone for who may not go there. */
export function Link({ context, to, children, id }: LinkParts & { readonly id?: string }) {
  const isOpen = mayOpen(context.var.rights, to);
  return isOpen ? <a href={to} id={id}>{children}</a> : <span id={id}>{children}</span>;
}

/** A link that looks as a button does; nothing for who may not go there. */
export function LinkButton({ context, to, children }: LinkParts) {
  return mayOpen(context.var.rights, to) ? <a class="button" href={to}>{children}</a> : null;
}
