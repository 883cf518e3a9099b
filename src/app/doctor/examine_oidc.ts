/**
 * Whether the issuer whose people may sign in at the console says what it is.
 *
 * @module
 */

import { createTransport } from "../../providers/transport/transport.ts";
import { type Finding, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "oidc";

/** Asks it, as the console does before somebody signs in. */
export async function examineOidc(
  { oidcIssuer: issuer, isOffline, proxied, clock }: Patient,
): Promise<readonly Finding[]> {
  if (issuer === undefined || isOffline) return [];
  const { IdentityProvider } = await import("../../console/sign_in/identity_provider.ts");
  const { OidcFault } = await import("../../console/sign_in/oidc_fault.ts");
  const transport = createTransport({ clock, proxied });
  const settings = { issuer, clientId: "", clientSecret: undefined, scopes: "openid", roles: [] };
  const provider = new IdentityProvider(settings, {
    transport,
    clock,
    resolveSecret: () => ({ ok: false, message: "it is not looked for here" }),
    onFault: () => {},
  });
  try {
    await provider.look();
    return [ok(CHECK, `${issuer} says how people sign in`)];
  } catch (error) {
    if (!(error instanceof OidcFault)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    return [
      warning(
        CHECK,
        `Nobody can sign in at the console by ${issuer}: ${message}`,
        `Compare --oidc-issuer with what ${issuer}/.well-known/openid-configuration says; links of ` +
          "tollgate console, the admin key and tokens sign in meanwhile",
      ),
    ];
  } finally {
    transport.close();
  }
}
