/**
 * Who is asking: `Authorization: Bearer <project key>` (section 5 of the
 * service specification; the scheme's name in any case, RFC 9110 section 11.1).
 *
 * @module
 */

import type { Caller, KeyDirectory } from "../../accounts/key_directory.ts";
import { GatewayError } from "../../errors.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import type { AppContext } from "../context/request_context.ts";

/** Longer values are refused unread; a key has 49 characters. */
const MOST_CHARACTERS = 256;
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;

/**
 * The caller of a request, noted for its line in the log.
 *
 * @throws {GatewayError} `project_key_invalid` or `project_key_disabled`.
 */
export function callerOf(
  { env, req }: AppContext,
  { directory, clock }: Pick<ApiDeps, "directory" | "clock">,
): Caller {
  const header = IncomingRequest.header(req.raw, "authorization");
  const caller = authenticate(header, directory, clock.now());
  env.note.projectId = caller.project.id;
  env.note.keyId = caller.key.id;
  return caller;
}

/**
 * The caller behind an `Authorization` header.
 *
 * @throws {GatewayError} `project_key_invalid` or `project_key_disabled`.
 */
export function authenticate(
  header: string | null | undefined,
  directory: KeyDirectory,
  nowMs: number,
): Caller {
  if (header === null || header === undefined || header === "") {
    throw invalid("No project key was sent: send the header 'Authorization: Bearer sk-tg-…'");
  }
  const presented = header.length > MOST_CHARACTERS ? undefined : BEARER.exec(header)?.[1];
  if (presented === undefined) {
    throw invalid(
      "The Authorization header is malformed: expected 'Authorization: Bearer sk-tg-…'",
    );
  }
  const resolution = directory.resolve(presented, nowMs);
  switch (resolution.kind) {
    case "caller":
      return resolution.caller;
    case "unknown":
      throw invalid(
        "This project key is not known here: check it, or ask the operator for a new one",
      );
    case "expired":
      throw invalid("This project key has expired: ask the operator for a new one");
    case "disabled":
      throw new GatewayError(
        "project_key_disabled",
        "This project key, or its project, is disabled: ask the operator to enable it",
      );
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError("project_key_invalid", message);
}
