/**
 * How pages are added: what they read is there before they are shown, and what their forms do leads to
 * another page.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { Operation } from "../../admin/base/operation.ts";
import type { ConsoleContext, ConsoleEnv, FormFields } from "../frame/console_env.ts";
import { type Done, saying } from "../frame/notice.ts";

/** The console's app, to which pages add themselves. */
export type ConsoleApp = Hono<ConsoleEnv>;

/** What a form's action is. */
export interface Action {
  /** Below `/console`. */
  readonly path: string;
  readonly operation: Operation;
  /** The operation's input, of the form's fields and the parts of the path. */
  readonly input: (fields: FormFields) => unknown;
  /** The page that follows, below `/console`. */
  readonly next: (fields: FormFields) => string;
  readonly done: Done;
}

/** Runs the operation that a form stands for, and leads on. */
export function addAction(app: ConsoleApp, { path, operation, input, next, done }: Action): void {
  app.post(path, async (context) => {
    const fields = fieldsOf(context);
    await context.var.admin.call(operation, input(fields) as object);
    return context.redirect(saying(`/console${next(fields)}`, done), 303);
  });
}

/** The fields of a form and the parts of its path. */
export function fieldsOf(context: ConsoleContext): FormFields {
  const { form_token: _token, form_page: _page, ...fields } = context.var.form;
  return { ...fields, ...context.req.param() };
}

/** Several words of one field, between commas or spaces; what is empty is none. */
export function wordsOf(field: string | undefined): string[] | undefined {
  const words = field?.split(/[\s,]+/).filter(Boolean);
  return words?.length ? words : undefined;
}

/** A field that may be missing, under its name in an input. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return value === undefined || value === "" ? {} : { [name]: value } as never;
}
