/**
 * Requests of the pages' own scripts: they read JSON, also where something is refused.
 *
 * @module
 */

import type { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "./console_env.ts";

/** Whether a script's request has a body of its own, which is no form. */
export function sendsJson({ req }: ConsoleContext): boolean {
  return /^application\/json\b/i.test(req.header("content-type") ?? "");
}

/** Whether whoever asks reads JSON: no browser says so of a page or of a form. */
export function wantsJson(context: ConsoleContext): boolean {
  return sendsJson(context) ||
    /^application\/json\b/i.test(context.req.header("accept") ?? "");
}

/** Answers with a refusal as a script reads it. */
export function jsonRefusal(context: ConsoleContext, error: GatewayError): Response {
  const { row: { status }, message, code } = error;
  return context.json({ error: { message, code } }, status as 400);
}
