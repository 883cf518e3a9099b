/**
 * The header by which a caller makes a request safe to repeat.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

/** The header's name. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** What a key looks like. */
export const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key`; `undefined` without one.
 *
 * @throws {GatewayError} `invalid_value` when it is empty, long or not printable.
 */
export function idempotencyKey(request: Request): string | undefined {
  const key = IncomingRequest.header(request, "idempotency-key");
  if (key === null) return undefined;
  if (KEY_PATTERN.test(key)) return key;
  throw new GatewayError(
    "invalid_value",
    "Invalid value for 'Idempotency-Key': expected 1 to 255 printable ASCII characters",
    { param: "Idempotency-Key" },
  );
}
