/**
 * What somebody may do by what an issuer says of him.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import type { ClaimRole } from "../../domain/oidc.ts";
import type { Rights } from "../../domain/roles.ts";

/** What an issuer says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

/** The first role that fits; `undefined` for none. */
export function roleOfClaims(claims: Claims, roles: readonly ClaimRole[]): Rights | undefined {
  return roles.find(({ claim, value }) => says(claims, claim, value))?.rights;
}

function says(claims: Claims, claim: string, value: string): boolean {
  // Whoever may register an address of somebody else's at the issuer would come in as him.
  if (claim === "email" && !isTrue(claims.email_verified)) return false;
  const told = claimAt(claims, claim);
  return Array.isArray(told) ? told.some((one) => isSame(one, value)) : isSame(told, value);
}

/** A claim by its whole name, else by the way to it: `realm_access.roles`. */
function claimAt(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let found: unknown = claims;
  for (const part of claim.split(".")) {
    if (!isObject(found) || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

function isSame(told: unknown, value: string): boolean {
  return typeof told === "string" ? told === value : isTrue(told) && value === "true";
}

/** Some issuers say it as a text. */
function isTrue(told: unknown): boolean {
  return told === true || told === "true";
}
