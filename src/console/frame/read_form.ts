/**
 * What a form of the console sends.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { ConsoleContext, FormFields } from "./console_env.ts";

/** The largest form. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * Reads the fields, once.
 *
 * @throws {GatewayError} `invalid_value` where it is no form, `request_too_large`.
 */
export async function readForm({ req, env }: ConsoleContext): Promise<FormFields> {
  const type = req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new GatewayError("invalid_value", "The console takes forms of its own pages alone");
  }
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(await env.readText(MAX_FORM_BYTES))) {
    if (value.trim() !== "") fields[name] = value.trim();
  }
  return fields;
}
