/**
 * The version of Anthropic's API that a request names.
 *
 * @module
 */

import { API_VERSIONS } from "../../../dialects/anthropic_messages/schemas.ts";
import { GatewayError } from "../../../errors.ts";
import type { AppContext } from "../../context/request_context.ts";
import { IncomingRequest } from "../../listener/incoming_request.ts";

const HEADER = "anthropic-version";

/**
 * Refuses one that does not exist. What names none means the first one: all of Anthropic's own
 * clients name one.
 *
 * @throws {GatewayError} `invalid_value`
 */
export function requireKnownVersion({ context: { req } }: { readonly context: AppContext }): void {
  const version = IncomingRequest.header(req.raw, HEADER);
  if (version === null || API_VERSIONS.includes(version)) return;
  throw new GatewayError(
    "invalid_value",
    `Unknown version '${version.slice(0, 40)}' in the header ${HEADER}: send ${
      API_VERSIONS.join(" or ")
    }`,
    { param: HEADER },
  );
}
