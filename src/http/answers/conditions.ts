/**
 * Evaluates the conditions of a request for a file: RFC 9110 section 13, in the order of its
 * section 13.2.2.
 *
 * @module
 */

import { IncomingRequest } from "../listener/incoming_request.ts";

/** What conditions compare with. */
export interface Validators {
  /** Strong, in its quotes. */
  readonly etag: string;
  /** Epoch milliseconds; HTTP sees whole seconds of it. */
  readonly lastModifiedMs: number;
}

/** What the conditions leave to do: send the file, or say 304 or 412. */
export type ConditionOutcome = "send" | "not_modified" | "failed";

const ENTITY_TAGS = /(?:W\/)?"[^"]*"/g;

/** Evaluates everything but `If-Range`, for GET and HEAD of a file that exists. */
export function evaluateConditions(request: Request, validators: Validators): ConditionOutcome {
  const { etag } = validators;
  const ifMatch = IncomingRequest.header(request, "if-match");
  if (ifMatch !== null) {
    // Compares strongly: a weak tag is equal to nothing.
    if (ifMatch.trim() !== "*" && !entityTags(ifMatch).includes(etag)) return "failed";
  } else if (isModifiedSince(request, "if-unmodified-since", validators) === true) {
    return "failed";
  }
  const ifNoneMatch = IncomingRequest.header(request, "if-none-match");
  if (ifNoneMatch !== null) {
    const isNamed = ifNoneMatch.trim() === "*" ||
      entityTags(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === etag);
    return isNamed ? "not_modified" : "send";
  }
  return isModifiedSince(request, "if-modified-since", validators) === false
    ? "not_modified"
    : "send";
}

/**
 * Whether a `Range` header counts: `If-Range` names the present file, or there is none.
 *
 * The date is compared for equality and taken for a strong validator (section 8.8.2.2), as a stored
 * file does not change.
 */
export function isRangeWanted(request: Request, { etag, lastModifiedMs }: Validators): boolean {
  const ifRange = IncomingRequest.header(request, "if-range")?.trim();
  if (ifRange === undefined || ifRange === etag) return true;
  const date = parseHttpDate(ifRange);
  return date !== undefined && date === wholeSeconds(lastModifiedMs);
}

/** `undefined` where the header is missing or no date, and therefore says nothing. */
function isModifiedSince(
  request: Request,
  name: string,
  { lastModifiedMs }: Validators,
): boolean | undefined {
  const date = parseHttpDate(IncomingRequest.header(request, name)?.trim() ?? "");
  return date === undefined ? undefined : wholeSeconds(lastModifiedMs) > date;
}

function entityTags(header: string): string[] {
  return header.match(ENTITY_TAGS) ?? [];
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000) * 1000;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
const MONTH = "(?<month>[A-Z][a-z]{2})";
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${CLOCK} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${CLOCK} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
];
/** Years of two digits from here on are of the 1900s. */
const FIRST_YEAR_OF_1900S = 70;

/** The epoch milliseconds of a date in any of the three forms; `undefined` for everything else. */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const fields = form.exec(text)?.groups;
    if (fields === undefined) continue;
    const month = MONTHS.indexOf(fields.month!) / 3;
    const [day, hour, minute, second] = [fields.day, fields.hour, fields.minute, fields.second]
      .map(Number) as [number, number, number, number];
    if (!Number.isInteger(month) || month < 0) return undefined;
    if (day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
    return Date.UTC(fullYear(fields.year!), month, day, hour, minute, second);
  }
  return undefined;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < FIRST_YEAR_OF_1900S ? 2000 + year : 1900 + year;
}
