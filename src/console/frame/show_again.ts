/**
 * A form that was refused, shown again on its own page: nobody types anything twice.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { GatewayError } from "../../errors.ts";
import type { ConsoleContext, ConsoleEnv, FormFields } from "./console_env.ts";
import { changedNothing } from "./refusal_page.tsx";

/** A page of the console, as forms name theirs; nothing that leads anywhere else. */
const PAGE = /^\/console(?:\/[^\s\\]*|\?[^\s\\]*)?$/;

/**
 * Answers with the page that the form of a refused request is on. It is asked for in the session of the
 * request, so nobody sees more than he may open.
 *
 * @returns `undefined` where it was no form of a page, may have changed something, or where the page
 * cannot be shown.
 */
export async function showAgain(
  app: Pick<Hono<ConsoleEnv>, "fetch">,
  context: ConsoleContext,
  error: GatewayError,
): Promise<Response | undefined> {
  const { req, env } = context;
  // Where it is sent without a session's token nobody has looked at it.
  const form = context.var.form as FormFields | undefined;
  if (req.method !== "POST" || form === undefined || !changedNothing(error)) return undefined;
  const { form_token: _token, form_page: page = "", ...fields } = form;
  if (!PAGE.test(page)) return undefined;
  const request = new Request(new URL(page, req.url), {
    headers: { cookie: req.header("cookie") ?? "" },
  });
  const refused = { action: new URL(req.url).pathname, fields, error };
  const response = await app.fetch(request, { ...env, refused });
  return response.status === error.row.status ? response : undefined;
}
