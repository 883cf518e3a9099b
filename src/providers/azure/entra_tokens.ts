/**
 * Tokens of Microsoft Entra ID for an application that proves itself by a secret (OAuth 2.0, client
 * credentials).
 *
 * @module
 */

import { nonEmptyString } from "../../domain/json_value.ts";
import { isSecretReference } from "../../domain/secret_uses.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { cleanMessage } from "../upstream/clean_message.ts";
import { type GivenToken, TokenSource } from "../upstream/token_source.ts";
import { isSuccess, objectIn } from "../upstream/upstream_json.ts";

/** Of a token's answer. */
const MOST_BYTES = 256 * 1024;
/** A day, and an hour where nothing is told. */
const MOST_SECONDS = 86_400;
const USUAL_SECONDS = 3_600;

/** Who asks, and for what; each value may be a reference. */
export interface EntraApplication {
  readonly tenant: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly authority: string;
  readonly scope: string;
}

/** Where a provider has its tokens from. */
export function entraTokens(
  application: EntraApplication,
  { id, timeouts }: Pick<ProviderSettings, "id" | "timeouts">,
  { clock, secrets, transport }: Pick<ProviderOptions, "clock" | "secrets" | "transport">,
): TokenSource {
  function valueOf(setting: string, name: string): string {
    const value = isSecretReference(setting) ? secrets(setting)?.trim() : setting;
    if (value !== undefined && value !== "") return value;
    throw new UpstreamError(
      "operator",
      `Cannot call provider '${id}': its entra.${name} (${setting}) has no value`,
      { fault: "key" },
    );
  }
  async function ask(): Promise<GivenToken> {
    const tenant = encodeURIComponent(valueOf(application.tenant, "tenant"));
    const secret = valueOf(application.client_secret, "client_secret");
    const response = await transport.request({
      method: "POST",
      url: `${application.authority.replace(/\/+$/, "")}/${tenant}/oauth2/v2.0/token`,
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "tollgate",
      },
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: valueOf(application.client_id, "client_id"),
        client_secret: secret,
        scope: application.scope,
      }).toString(),
      timeouts,
      peer: "Entra ID",
      stream: false,
    }, new AbortController().signal);
    const text = await response.text(MOST_BYTES);
    if (!isSuccess(response.status)) throw refusal(response.status, text, secret);
    return tokenIn(text);
  }
  return new TokenSource({ clock, ask });
}

function tokenIn(text: string): GivenToken {
  const body = objectIn(text);
  const value = nonEmptyString(body.access_token);
  if (value === undefined || !/^[\x21-\x7e]{1,65536}$/.test(value)) {
    throw new UpstreamError("broken", "Entra ID answered with no token");
  }
  const seconds = Number(body.expires_in);
  const lifetimeSeconds = seconds > 0 ? Math.min(seconds, MOST_SECONDS) : USUAL_SECONDS;
  return { value, lifetimeSeconds };
}

/** `{error, error_description: "AADSTS7000215: Invalid client secret provided. …"}` */
function refusal(status: number, text: string, secret: string): UpstreamError {
  if (status === 429 || status >= 500 || status < 400) {
    return new UpstreamError(status === 429 ? "busy" : "broken", `Entra ID answered ${status}`, {
      status,
    });
  }
  const { error_description, error } = objectIn(text);
  const words = nonEmptyString(error_description) ?? nonEmptyString(error) ?? "";
  // Its later lines are traces and times.
  const said = cleanMessage(words.split(/\r?\n/, 1)[0]!, { secrets: [secret], host: "" });
  return new UpstreamError(
    "operator",
    `Entra ID answered ${status}${said === undefined ? "" : `: ${said}`}`,
    { status, fault: "key" },
  );
}
