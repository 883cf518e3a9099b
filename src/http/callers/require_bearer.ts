/**
 * Lets in whoever sends a secret of the operator's as bearer.
 *
 * @module
 */

import { isSameSecret } from "../../accounts/same_secret.ts";
import { GatewayError } from "../../errors.ts";

const BEARER = /^bearer +(\S+) *$/i;

/** What an `Authorization` header has as bearer; `undefined` where that is nothing. */
export function bearerOf(authorization = ""): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Makes the check of an `Authorization` header, which throws {@linkcode GatewayError} with `advice`. */
export function requireBearer(
  secrets: readonly string[],
  advice: string,
): (authorization: string | undefined) => void {
  return (authorization) => {
    const presented = bearerOf(authorization) ?? "";
    // Not `some`: all are compared, whichever fits.
    const fitting = secrets.filter((secret) => isSameSecret(presented, secret));
    if (fitting.length === 0) throw new GatewayError("project_key_invalid", advice);
  };
}
