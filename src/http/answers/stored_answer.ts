/**
 * The head of an answer to GET and HEAD for something that is stored, wherever its bytes are:
 * conditions, and which part of it is sent.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { parseByteRange } from "./byte_range.ts";
import { evaluateConditions, isRangeWanted, type Validators } from "./conditions.ts";

/** Something that does not change while it exists. */
export interface StoredContent extends Validators {
  /** Its size when it was stored. */
  readonly bytes: number;
  readonly contentType: string;
  /** Further headers of 200, 206 and 304, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything of an answer but its bytes. */
export interface StoredAnswer {
  readonly status: 200 | 206 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Which bytes follow; `undefined` for none. */
  readonly span: Span | undefined;
}

interface Span {
  readonly start: number;
  readonly length: number;
}

/** What is to be sent: a part of it, or (`undefined`) all of it, or no more than a head. */
type Plan =
  | { readonly kind: "not_modified" }
  | { readonly kind: "head" }
  | { readonly kind: "part"; readonly start: number; readonly length: number }
  | { readonly kind: "all" };

/**
 * What is answered: 200, 206 or 304.
 *
 * @throws {GatewayError} `precondition_failed` or `range_not_satisfiable`
 */
export function answerStored(
  request: Request,
  content: StoredContent,
  requestId: string,
): StoredAnswer {
  const plan = planAnswer(request, content);
  const headers: Record<string, string> = {
    ...content.headers,
    etag: content.etag,
    "last-modified": new Date(content.lastModifiedMs).toUTCString(),
    "x-request-id": requestId,
  };
  if (plan.kind === "not_modified") return { status: 304, headers, span: undefined };

  headers["content-type"] = content.contentType;
  headers["accept-ranges"] = "bytes";
  if (plan.kind === "head") {
    headers["content-length"] = String(content.bytes);
    return { status: 200, headers, span: undefined };
  }
  if (plan.kind === "all") {
    return { status: 200, headers, span: { start: 0, length: content.bytes } };
  }
  const last = plan.start + plan.length - 1;
  headers["content-range"] = `bytes ${plan.start}-${last}/${content.bytes}`;
  return { status: 206, headers, span: plan };
}

function planAnswer(request: Request, content: StoredContent): Plan {
  const outcome = evaluateConditions(request, content);
  if (outcome === "failed") {
    throw new GatewayError(
      "precondition_failed",
      "Cannot send the file as it is not the one that the conditions name: ask for it without " +
        "If-Match and If-Unmodified-Since",
    );
  }
  if (outcome === "not_modified") return { kind: "not_modified" };
  if (request.method === "HEAD") return { kind: "head" }; // has no ranges: section 14.2
  const range = IncomingRequest.header(request, "range");
  if (range === null || !isRangeWanted(request, content)) return { kind: "all" };
  const wanted = parseByteRange(range, content.bytes);
  if (wanted.kind === "unsatisfiable") {
    throw new GatewayError(
      "range_not_satisfiable",
      `Cannot send a range that begins behind the end of the file: it has ${content.bytes} bytes`,
      { contentRange: `bytes */${content.bytes}` },
    );
  }
  return wanted.kind === "part" ? wanted : { kind: "all" };
}
