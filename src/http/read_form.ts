/**
 * Reads a form: `multipart/form-data` (RFC 7578) or
 * `application/x-www-form-urlencoded`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { GatewayError } from "../errors.ts";
import { type FormFields, readFormFields } from "./form_fields.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import { type BodyLimits, readBodyWithin } from "./read_body_within.ts";

const FORM_TYPE = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** Line breaks and blanks may follow the last delimiter. */
const MOST_TRAILING_BYTES = 1_024;

/** A form's fields. */
export interface FormBody {
  readonly fields: FormFields;
  /** Gives the body's bytes back to the budget; call it when the fields are let go of. */
  release(): void;
}

/** Whether a request says that its body is a form. */
export function isForm(request: Request): boolean {
  return FORM_TYPE.test(IncomingRequest.header(request, "content-type") ?? "");
}

/**
 * Reads and parses a form.
 *
 * @throws {GatewayError}
 */
export async function readForm(request: Request, limits: BodyLimits): Promise<FormBody> {
  const type = IncomingRequest.header(request, "content-type") ?? "";
  const bytes = await readBodyWithin(request, limits);
  try {
    return {
      fields: await readFormFields(await parse(bytes, type)),
      release: () => limits.budget.release(bytes.length),
    };
  } catch (error) {
    limits.budget.release(bytes.length);
    throw error;
  }
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  const parts = /^multipart/i.test(type) ? countParts(bytes, type) : 0;
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw malformed("it cannot be parsed", cause);
  }
  // The runtime leaves out what it cannot read: perhaps a limit that the caller relies on.
  if ([...form].length < parts) throw malformed("a part of it has no name");
  return form;
}

/** How many parts a multipart body has. The runtime takes one that breaks off for a shorter one. */
function countParts(bytes: Uint8Array<ArrayBuffer>, type: string): number {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw malformed("its content type names no boundary");
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = `--${boundary}--`;
  const end = body.subarray(-(delimiter.length + MOST_TRAILING_BYTES)).toString("latin1");
  if (!end.trimEnd().endsWith(delimiter)) throw malformed("it breaks off before its last boundary");
  const first = `--${boundary}\r\n`;
  const next = `\r\n${first}`;
  let parts = body.subarray(0, first.length).toString("latin1") === first ? 1 : 0;
  for (let at = body.indexOf(next); at !== -1; at = body.indexOf(next, at + 2)) parts++;
  return parts;
}

function malformed(what: string, cause?: unknown): GatewayError {
  return new GatewayError("malformed_request", `The form is malformed: ${what}`, { cause });
}
