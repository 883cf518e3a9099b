/**
 * Signing in by OpenID Connect, as an operator sets it up: which issuer is believed, and what its
 * people may do here.
 *
 * @module
 */

import type { Rights } from "./roles.ts";

/** What whoever has a claim of a value may do. */
export interface ClaimRole {
  /** A claim's name; with dots in it also a way into one, such as `realm_access.roles`. */
  readonly claim: string;
  /** What it says, or has in its list. */
  readonly value: string;
  readonly rights: Rights;
}

/** What the settings say of the issuer and its people. */
export interface OidcSettings {
  /** As the operator has written it. */
  readonly issuer: string;
  readonly clientId: string;
  /** A reference to it; `undefined` for a public client, which has PKCE alone. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The first that fits counts. */
  readonly roles: readonly ClaimRole[];
}

/** Where an issuer sends people back to, below the gateway's address. */
export const OIDC_CALLBACK = "/console/oidc/callback";

/** Whether what goes to a URL is read by nobody on the way: by TLS, or within this machine. */
export function isPrivateWay(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  if (protocol === "https:") return true;
  return protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
