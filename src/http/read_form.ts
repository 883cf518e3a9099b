/**
 * Reads a form: `multipart/form-data` (RFC 7578) or
 * `application/x-www-form-urlencoded`.
 *
 * @module
 */

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
  if (/^multipart/i.test(type)) requireEnd(bytes, type);
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw malformed("it cannot be parsed", cause);
  }
}

/** The runtime takes a form that breaks off for a shorter one. */
function requireEnd(bytes: Uint8Array, type: string): void {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw malformed("its content type names no boundary");
  const delimiter = `--${boundary}--`;
  const end = new TextDecoder("latin1").decode(
    bytes.subarray(-(delimiter.length + MOST_TRAILING_BYTES)),
  );
  if (!end.trimEnd().endsWith(delimiter)) {
    throw malformed("it breaks off before its last boundary");
  }
}

function malformed(what: string, cause?: unknown): GatewayError {
  return new GatewayError("malformed_request", `The form is malformed: ${what}`, { cause });
}
