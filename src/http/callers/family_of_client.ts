/**
 * Whose client sends a request, where its path does not say so.
 *
 * @module
 */

import { ANTHROPIC } from "../../dialects/anthropic_messages/family.ts";
import type { Family } from "../../dialects/base/dialect.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

/** The family whose clients name themselves so; `undefined` for all others. */
export function familyOfClient(request: Request): Family | undefined {
  return IncomingRequest.header(request, "anthropic-version") === null ? undefined : ANTHROPIC;
}
