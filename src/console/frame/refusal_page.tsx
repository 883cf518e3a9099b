/**
 * The page that says what was refused, and whether anything may have changed all the same.
 *
 * @module
 */

import type { ErrorName, GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "./console_env.ts";
import { showPage } from "./page.tsx";

/** Errors in the middle of an act, of which nobody knows how far it came. */
const MAY_HAVE_CHANGED: ReadonlySet<ErrorName> = new Set([
  "internal_error",
  "reading_failed",
  "shutting_down",
  "storage_away",
  "guard_unavailable",
  "upstream_error",
]);

/** Whether an act that was refused so has certainly changed nothing. */
export function changedNothing({ error }: GatewayError): boolean {
  return !MAY_HAVE_CHANGED.has(error);
}

/** Answers with it, in the frame of all pages. */
export function showRefusal(
  context: ConsoleContext,
  error: GatewayError,
): Response | Promise<Response> {
  const notice = { kind: "bad", text: error.message } as const;
  const { status } = error.row;
  const isRead = context.req.method === "GET" || context.req.method === "HEAD";
  if (isRead) {
    return showPage(
      context,
      { title: "Not shown", notice, status },
      <p>Go back, or to another page of the menu.</p>,
    );
  }
  return changedNothing(error)
    ? showPage(
      context,
      { title: "Not done", notice, status },
      <p>Go back, change what it says, and try again. Nothing was changed.</p>,
    )
    : showPage(
      context,
      { title: "Perhaps not done", notice, status },
      <p>
        Where it is not said above, nobody knows whether anything was changed. The{" "}
        <a href="/console/audit">audit log</a> tells: look there before you try again.
      </p>,
    );
}
