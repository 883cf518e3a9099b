/**
 * Reads a form: `multipart/form-data` (RFC 7578) or
 * `application/x-www-form-urlencoded`.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { type FormFields, readFormFields } from "./form_fields.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { type FormPart, parseMultipart } from "./parse_multipart.ts";
import { MalformedFormError } from "./part_head.ts";
import { type BodyLimits, type ParsedBody, readBodyWithin } from "./read_body.ts";

const FORM_TYPE = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/** Some clients write one at the end, or two in a row. */
const MOST_EMPTY_PAIRS = 200;

/** Whether a request says that its body is a form. */
export function isForm(request: Request): boolean {
  return FORM_TYPE.test(IncomingRequest.header(request, "content-type") ?? "");
}

/**
 * Reads and parses a form; files are views on its body.
 *
 * @throws {GatewayError}
 */
export async function readForm(
  request: Request,
  limits: BodyLimits,
): Promise<ParsedBody<FormFields>> {
  const type = IncomingRequest.header(request, "content-type") ?? "";
  const bytes = await readBodyWithin(request, limits);
  try {
    return { value: readFormFields(partsOf(bytes, type)), bytes: bytes.length };
  } catch (error) {
    limits.budget.release(bytes.length);
    throw formError(error);
  }
}

function partsOf(bytes: Uint8Array<ArrayBuffer>, type: string): Iterable<FormPart> {
  if (!/^multipart/i.test(type)) return parsePairs(new TextDecoder().decode(bytes));
  return parseMultipart(bytes, boundaryOf(type));
}

/**
 * The boundary that a content type names.
 *
 * @throws {MalformedFormError} When it names none.
 */
export function boundaryOf(type: string): string {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new MalformedFormError("its content type names no boundary");
  return boundary;
}

/** One by one, as whoever has had enough of them stops it. */
function* parsePairs(text: string): Generator<FormPart> {
  let empty = 0;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("&", start);
    const pair = text.slice(start, end === -1 ? undefined : end);
    if (pair !== "") yield* new URLSearchParams(pair);
    else if (++empty > MOST_EMPTY_PAIRS) {
      throw new MalformedFormError("it has '&' after '&' without a field between");
    }
    start += pair.length + 1;
  }
}

/** Words what is wrong with a form for its caller. */
export function formError(error: unknown): unknown {
  if (!(error instanceof MalformedFormError)) return error;
  return new GatewayError("malformed_request", `The form is malformed: ${error.message}`);
}
