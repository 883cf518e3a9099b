/**
 * Lets in whoever sends a secret of the operator's as bearer.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../../errors.ts";

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Makes the check of an `Authorization` header, which throws {@linkcode GatewayError} with `advice`.
 * Both sides are hashed, so that comparing takes the same time for any guess.
 */
export function requireBearer(
  secrets: readonly string[],
  advice: string,
): (authorization: string | undefined) => void {
  const expected = secrets.map(sha256);
  return (authorization = "") => {
    const presented = sha256(BEARER.exec(authorization)?.[1] ?? "");
    // Not `some`: all are compared, whichever fits.
    const fitting = expected.filter((one) => timingSafeEqual(presented, one));
    if (fitting.length === 0) throw new GatewayError("project_key_invalid", advice);
  };
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
