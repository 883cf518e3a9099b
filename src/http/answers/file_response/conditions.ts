/**
 * Evaluates the conditions of a request for a file: RFC 9110 section 13, in the order of its
 * section 13.2.2.
 *
 * @module
 */
import { IncomingRequest } from "../../listener/incoming_request.ts";
import { parseHttpDate } from "./http_date.ts";

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
