/**
 * Why somebody did not come in by OpenID Connect, in words for him.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import { UpstreamError } from "../../domain/upstream_error.ts";

/** The message says what to do. */
export class OidcFault extends Error {
  override readonly name = "OidcFault";
  /** Of the page that says so. */
  readonly status: 401 | 403 | 502 | 503;

  constructor(status: OidcFault["status"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const OTHERWISE = "or sign in by a link (tollgate console)";
const MOST_CHARACTERS = 200;

/** What others have written, in one line that is not long. */
export function shortened(text: string, most = MOST_CHARACTERS): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return clean.length > most ? `${clean.slice(0, most - 1).toWellFormed()}…` : clean;
}

/** What a failure means; what stems from no issuer is thrown on. */
export function wordFault(
  error: unknown,
  { lib, host }: { readonly lib: typeof oauth; readonly host: string },
): OidcFault {
  if (error instanceof OidcFault) return error;
  const options = { cause: error };
  if (error instanceof UpstreamError) {
    const text = `${host} does not answer (${shortened(error.message)}): try again in a moment, ` +
      `${OTHERWISE}. If it goes on, ask your administrator to run tollgate doctor`;
    return new OidcFault(502, text, options);
  }
  if (error instanceof lib.AuthorizationResponseError) {
    const said = [error.error, error.error_description ?? ""].filter(Boolean).join(": ");
    const text = `${host} has not signed you in (${shortened(said)}): try again, or ask those ` +
      "who run it whether you may use this gateway";
    return new OidcFault(401, text, options);
  }
  if (error instanceof lib.ResponseBodyError) {
    const said = shortened([error.error, error.error_description ?? ""].filter(Boolean).join(": "));
    return error.error === "invalid_grant"
      ? new OidcFault(401, `${host} says that this sign-in is over (${said}): try again`, options)
      : new OidcFault(502, `${host} refuses the gateway (${said}): ${ASK_SETTINGS}`, options);
  }
  if (
    error instanceof lib.OperationProcessingError && error.code === lib.JSON_ATTRIBUTE_COMPARISON
  ) {
    const { issuer } = (error.cause as { body?: { issuer?: unknown } } | undefined)?.body ?? {};
    if (typeof issuer === "string") {
      const text = `The issuer at ${host} calls itself ${shortened(issuer)}: ask your ` +
        "administrator to write exactly that as --oidc-issuer";
      return new OidcFault(502, text, options);
    }
  }
  const isOfIssuer = error instanceof lib.OperationProcessingError ||
    error instanceof lib.UnsupportedOperationError ||
    error instanceof lib.WWWAuthenticateChallengeError ||
    // Of addresses and keys that are none.
    error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError;
  if (!isOfIssuer) throw error;
  const text = `What ${host} says cannot be believed (${shortened(error.message)}): try again, ` +
    `${OTHERWISE}. If it goes on, ${ASK_SETTINGS}`;
  return new OidcFault(502, text, options);
}

const ASK_SETTINGS = "ask your administrator to compare --oidc-issuer, --oidc-client-id and " +
  "--oidc-client-secret with what the issuer has given, and to run tollgate doctor";
