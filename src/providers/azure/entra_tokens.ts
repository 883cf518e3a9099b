/**
 * Tokens of Microsoft Entra ID for an application that proves itself by a secret (OAuth 2.0, client
 * credentials).
 *
 * @module
 */

import { isSecretReference } from "../../domain/secret_uses.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { requestToken } from "../upstream/oauth_token.ts";
import { type GivenToken, TokenSource } from "../upstream/token_source.ts";

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
    return await requestToken(transport, {
      service: "Entra ID",
      url: `${application.authority.replace(/\/+$/, "")}/${tenant}/oauth2/v2.0/token`,
      form: {
        grant_type: "client_credentials",
        client_id: valueOf(application.client_id, "client_id"),
        client_secret: secret,
        scope: application.scope,
      },
      timeouts,
      secrets: [secret],
    });
  }
  return new TokenSource({ clock, ask });
}
