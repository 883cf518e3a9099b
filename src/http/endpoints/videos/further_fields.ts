/**
 * What a create request has beyond the fields that the gateway itself reads, for
 * routes that pass it on.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";

/** They are kept with the task, in memory too as long as it is open. */
const MAX_CHARACTERS = 65_536;

/**
 * The fields that say something: without those that are `null`.
 *
 * @throws {GatewayError} `invalid_value` for a file, `request_too_large` for more
 * than 65,536 characters of JSON.
 */
export function furtherFields(
  others: { readonly [name: string]: unknown },
): { readonly [name: string]: unknown } {
  const fields = Object.entries(others).filter(([, value]) =>
    value !== null && value !== undefined
  );
  for (const [param, value] of fields) {
    if (!holdsFile(value)) continue;
    const shown = param.slice(0, 100);
    throw new GatewayError(
      "invalid_value",
      `Invalid value for '${shown}': the only file that a form may carry is 'input_reference'`,
      { param: shown },
    );
  }
  const further = Object.fromEntries(fields);
  if (JSON.stringify(further).length > MAX_CHARACTERS) {
    throw new GatewayError(
      "request_too_large",
      `The fields beside those of a film have more than ${MAX_CHARACTERS} characters of JSON: send an image as 'input_reference'`,
    );
  }
  return further;
}

function holdsFile(value: unknown): boolean {
  if (value instanceof Uint8Array) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsFile);
}
