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

import { FilePart } from "../listener/file_part.ts";
import { LeanResponse } from "../listener/lean_response.ts";
import { answerStored, type StoredContent } from "./stored_answer.ts";

/** A file that does not change while it exists; a file of another size is not sent. */
export interface StoredFile extends StoredContent {
  readonly path: string;
}

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
    const { status, headers, span } = answerStored(request, file, requestId);
    if (span === undefined) return new Response(null, { status, headers });
    const part = new FilePart(opened, span);
    handedOver = true;
    return LeanResponse.make(part, { status, headers });
  } finally {
    if (!handedOver) opened.close();
  }
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
