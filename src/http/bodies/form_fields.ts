/**
 * Turns the parts of a form into the value that the same request has in JSON:
 * `source_policy[exclude_risk_levels][]=high` is a list inside an object.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { SpooledFile } from "../../files/spooled_file.ts";
import type { FormPart } from "./parse_multipart.ts";

/** A form's fields as a JSON body would have them; files as their bytes, or where they are. */
export type FormFields = { [name: string]: unknown };

const NAME = /^([^[\]]{1,128})((?:\[[^[\]]{0,128}\]){0,4})$/;
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const MOST_PARTS = 200;

/**
 * Reads every part.
 *
 * @throws {GatewayError} `invalid_value` when a name is given twice or fits no
 * other, or there are more than 200 parts.
 */
export function readFormFields(
  form: Iterable<FormPart | readonly [name: string, file: SpooledFile]>,
): FormFields {
  const fields: FormFields = Object.create(null);
  let parts = 0;
  for (const [name, value] of form) {
    if (++parts > MOST_PARTS) {
      throw new GatewayError("invalid_value", `The form has more than ${MOST_PARTS} parts`);
    }
    put(fields, { name, value });
  }
  return { ...fields };
}

function put(fields: FormFields, { name, value }: { name: string; value: unknown }): void {
  const [, first, rest] = NAME.exec(name) ?? [];
  const path = first === undefined
    ? []
    : [first, ...[...rest!.matchAll(/\[([^[\]]*)\]/g)].map((step) => step[1]!)];
  if (path.length === 0 || path.some((step) => FORBIDDEN.has(step))) throw wrong(name);
  let place = fields;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (step === "") throw wrong(name);
    const isListNext = path[index + 1] === "" && index === path.length - 2;
    const next = place[step] ??= isListNext ? [] : Object.create(null);
    if (isListNext) {
      if (!Array.isArray(next)) throw wrong(name);
      next.push(value);
      return;
    }
    if (!isObject(next)) throw wrong(name);
    place = next;
  }
  const last = path.at(-1)!;
  if (last === "" || Object.hasOwn(place, last)) throw wrong(name);
  place[last] = value;
}

/** Whether something may have fields: neither a text, nor a list, nor a file. */
function isObject(value: unknown): value is FormFields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

function wrong(name: string): GatewayError {
  const shown = name.slice(0, 100);
  return new GatewayError(
    "invalid_value",
    `Invalid field '${shown}' in the form: it is given twice, or is no name like 'size' or 'source_policy[exclude_risk_levels][]'`,
    { param: shown },
  );
}
