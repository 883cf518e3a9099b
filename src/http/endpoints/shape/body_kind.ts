/**
 * What an endpoint takes for a body: how it is read, and what is checked of it.
 *
 * @module
 */

import type * as z from "zod";
import type { ByteRoom } from "../../../limits/stay.ts";
import type { ParsedBody } from "../../bodies/read_body.ts";
import { isForm, readForm } from "../../bodies/read_form.ts";
import { readJson } from "../../bodies/read_json.ts";
import { validate } from "../../bodies/validate.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { RequestBody } from "./endpoint.ts";

/** Reads a body, whose bytes are reserved in the room. */
export type BodyReader = (request: Request, room: ByteRoom) => ParsedBody | Promise<ParsedBody>;

export interface BodyKind<Fields> {
  readonly request: RequestBody | undefined;
  /** Statuses of what can be wrong with it. */
  readonly errors: readonly number[];
  /** Makes its reader, once. */
  readonly reader: (deps: ApiDeps) => BodyReader;
  /** @throws {GatewayError} */
  readonly check: (value: unknown) => Fields;
}

const ERRORS = [400, 413, 415];

/** JSON of a schema. `adjust` may refuse or complete the value before it is checked. */
export function jsonBody<Fields>(
  schema: z.ZodType<Fields>,
  adjust: (value: unknown) => unknown = (value) => value,
): BodyKind<Fields> {
  return {
    request: { schema, types: ["application/json"] },
    errors: ERRORS,
    reader: ({ jsonLimits: { maxBytes, maxDepth } }) => (request, budget) =>
      readJson(request, { maxBytes, maxDepth, budget }),
    check: (value) => validate(schema, adjust(value)),
  };
}

/** JSON of a schema, or a form with the same fields. */
export function jsonOrFormBody<Fields>(schema: z.ZodType<Fields>): BodyKind<Fields> {
  const json = jsonBody(schema);
  return {
    ...json,
    request: { schema, types: ["application/json", "multipart/form-data"] },
    reader(deps) {
      const read = json.reader(deps);
      const { maxFormBytes: maxBytes } = deps;
      return (request, budget) =>
        isForm(request) ? readForm(request, { maxBytes, budget }) : read(request, budget);
    },
  };
}

/** No body: none is read. */
export const NO_BODY: BodyKind<{ readonly [name: string]: never }> = {
  request: undefined,
  errors: [],
  reader: () => () => ({ value: null, bytes: 0 }),
  check: () => ({}),
};
