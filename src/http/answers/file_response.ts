/**
 * Answers GET and HEAD with a stored file: conditions, a byte range, and the bytes straight from
 * the file to the socket.
 *
 * Own code rather than `@remix-run/response` over `@remix-run/fs`, which sends a stream of
 * `node:fs` through a `Response`, opens the file only after the head is out, leaves it open when
 * the client goes, and refuses malformed and multiple ranges where RFC 9110 has them ignored.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { parseByteRange } from "./byte_range.ts";
import { evaluateConditions, isRangeWanted, type Validators } from "./conditions.ts";
import { FilePart } from "../listener/file_part.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { LeanResponse } from "../listener/lean_response.ts";

/** A file that does not change while it exists. */
export interface StoredFile extends Validators {
  readonly path: string;
  /** Its size when it was stored; a file of another size is not sent. */
  readonly bytes: number;
  readonly contentType: string;
  /** Further headers of 200, 206 and 304, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is to be sent of a file: a part of it, or (`undefined`) all of it, or no more than a head. */
type Plan =
  | { readonly kind: "not_modified" }
  | { readonly kind: "head" }
  | { readonly kind: "part"; readonly start: number; readonly length: number }
  | { readonly kind: "all" };

/**
 * Makes the answer to a GET or HEAD for `file`: 200, 206 or 304. The file is open, and exists,
 * when the answer is given; it may be removed while it is being sent.
 *
 * @throws {FileMissingError} when the file is gone: for the route to answer as for a missing task
 * @throws {GatewayError} `precondition_failed` or `range_not_satisfiable`
 * @throws {Error} when the file is not the one that was stored
 */
export async function fileResponse(
  request: Request,
  file: StoredFile,
  requestId: string,
): Promise<Response> {
  // Opened in any case: conditions and ranges count only for what is there (section 13.2.1).
  const opened = await openStoredFile(file.path, file.bytes);
  let handedOver = false;
  try {
    const plan = planAnswer(request, file);
    const headers: Record<string, string> = {
      ...file.headers,
      etag: file.etag,
      "last-modified": new Date(file.lastModifiedMs).toUTCString(),
      "x-request-id": requestId,
    };
    if (plan.kind === "not_modified") return new Response(null, { status: 304, headers });

    headers["content-type"] = file.contentType;
    headers["accept-ranges"] = "bytes";
    if (plan.kind === "head") {
      headers["content-length"] = String(file.bytes);
      return new Response(null, { headers });
    }
    const span = plan.kind === "part" ? plan : { start: 0, length: file.bytes };
    if (plan.kind === "part") {
      const last = plan.start + plan.length - 1;
      headers["content-range"] = `bytes ${plan.start}-${last}/${file.bytes}`;
    }
    const part = new FilePart(opened, span);
    handedOver = true;
    return LeanResponse.make(part, { status: plan.kind === "part" ? 206 : 200, headers });
  } finally {
    if (!handedOver) opened.close();
  }
}

function planAnswer(request: Request, file: StoredFile): Plan {
  const outcome = evaluateConditions(request, file);
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
  if (range === null || !isRangeWanted(request, file)) return { kind: "all" };
  const wanted = parseByteRange(range, file.bytes);
  if (wanted.kind === "unsatisfiable") {
    throw new GatewayError(
      "range_not_satisfiable",
      `Cannot send a range that begins behind the end of the file: it has ${file.bytes} bytes`,
      { contentRange: `bytes */${file.bytes}` },
    );
  }
  return wanted.kind === "part" ? wanted : { kind: "all" };
}

/** The file is not there: answer as for something that never existed. */
export class FileMissingError extends Error {
  override readonly name = "FileMissingError";
  constructor(path: string, options?: ErrorOptions) {
    super(`Cannot send ${path} as there is no such file`, options);
  }
}

/**
 * Opens a file for reading. Whoever has it open can read all of it even after it was removed.
 *
 * @throws {FileMissingError} when there is no file of that name
 * @throws {Error} when it is not a file of exactly `bytes` bytes: what was stored is damaged
 * @throws what `Deno.open` throws otherwise, e.g. when descriptors are short
 */
async function openStoredFile(path: string, bytes: number): Promise<Deno.FsFile> {
  const file = await Deno.open(path).catch((cause) => {
    if (cause instanceof Deno.errors.NotFound) throw new FileMissingError(path, { cause });
    throw cause;
  });
  try {
    const { isFile, size } = await file.stat();
    if (!isFile || size !== bytes) {
      throw new Error(
        `Cannot send ${path} as it is no file of ${bytes} bytes: it was changed since it was ` +
          `stored and now has ${size}`,
      );
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
