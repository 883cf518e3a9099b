/**
 * What an endpoint takes for a body: how it is read, and what is checked of it.
 *
 * @module
 */

import type * as z from "zod";
import type { Caller } from "../../../accounts/key_directory.ts";
import { forFieldsThere } from "../../../documents/fields_there.ts";
import { GatewayError } from "../../../errors.ts";
import type { Stay } from "../../../limits/stay.ts";
import type { ParsedBody } from "../../bodies/read_body.ts";
import { isForm, readForm } from "../../bodies/read_form.ts";
import { readJson } from "../../bodies/read_json.ts";
import { isMultipart, readSpooledForm } from "../../bodies/read_spooled_form.ts";
import { validate } from "../../bodies/validate.ts";
import { IncomingRequest } from "../../listener/incoming_request.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { RequestBody } from "./endpoint.ts";

/** Reads a body, whose bytes are reserved for the stay. */
export type BodyReader = (
  request: Request,
  stay: Stay,
  caller: Caller,
) => ParsedBody | Promise<ParsedBody>;

export interface BodyKind<Fields, Deps = ApiDeps> {
  readonly request: RequestBody | undefined;
  /** Statuses of what can be wrong with it. */
  readonly errors: readonly number[];
  /** Makes its reader, once. */
  readonly reader: (deps: Deps) => BodyReader;
  /** @throws {GatewayError} */
  readonly check: (value: unknown) => Fields;
}

const ERRORS = [400, 413, 415];

/** JSON of a schema. `adjust` may refuse or complete the value before it is checked. */
export function jsonBody<Fields>(
  schema: z.ZodType<Fields>,
  adjust: (value: unknown) => unknown = (value) => value,
): BodyKind<Fields, Pick<ApiDeps, "jsonLimits">> {
  const fitting = forFieldsThere(schema);
  return {
    request: { schema, types: ["application/json"] },
    errors: ERRORS,
    reader: ({ jsonLimits: { maxBytes, maxDepth } }) => (request, budget) =>
      readJson(request, { maxBytes, maxDepth, budget }),
    check(value) {
      const adjusted = adjust(value);
      return validate(fitting(adjusted), adjusted);
    },
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
      return (request, budget, caller) =>
        isForm(request) ? readForm(request, { maxBytes, budget }) : read(request, budget, caller);
    },
  };
}

/** How large a form with files may be. */
export interface SpooledFormOptions {
  /** Of the whole form. */
  readonly maxBytes: (deps: ApiDeps) => number;
  readonly maxFiles: number;
}

/** A form whose files are `SpooledFile`s: on the disk until the request is over. */
export function spooledFormBody<Fields>(
  schema: z.ZodType<Fields>,
  { maxBytes, maxFiles }: SpooledFormOptions,
): BodyKind<Fields> {
  return {
    request: { schema, types: ["multipart/form-data"] },
    errors: [...ERRORS, 503],
    reader(deps) {
      const { spool } = deps;
      const limits = { spool, maxBytes: maxBytes(deps), maxFiles };
      return (request, stay, { project: { id: owner } }) => {
        if (!isMultipart(request)) throw notMultipart(request);
        return readSpooledForm(request, { ...limits, stay, owner });
      };
    },
    check: (value) => validate(schema, value),
  };
}

function notMultipart(request: Request): GatewayError {
  const type = IncomingRequest.header(request, "content-type") ?? "";
  return new GatewayError(
    "unsupported_content_type",
    `The content type '${
      type.slice(0, 80)
    }' is not supported here: send the fields and the file as 'multipart/form-data'`,
  );
}

/** No body: none is read. */
export const NO_BODY: BodyKind<{ readonly [name: string]: never }> = {
  request: undefined,
  errors: [],
  reader: () => () => ({ value: null, bytes: 0 }),
  check: () => ({}),
};
