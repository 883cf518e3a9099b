/**
 * Tokens of Google's for a service account, which proves itself by a signature of its private key
 * (RFC 7523).
 *
 * @module
 */

import { type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import { requestToken } from "../upstream/oauth_token.ts";
import { type GivenToken, TokenSource } from "../upstream/token_source.ts";
import { objectIn } from "../upstream/upstream_json.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
/** The longest that Google takes. */
const ASSERTED_SECONDS = 3_600;

interface Account {
  readonly email: string;
  readonly keyId: string | undefined;
  /** PEM. */
  readonly privateKey: string;
  readonly tokenUri: string;
}

/** Where a provider has its tokens from; `credentials` refers to the account's file, as JSON. */
export function googleTokens(
  credentials: string,
  { id, timeouts }: Pick<ProviderSettings, "id" | "timeouts">,
  { clock, secrets, transport }: Pick<ProviderOptions, "clock" | "secrets" | "transport">,
): TokenSource {
  function fault(what: string): UpstreamError {
    const message = `Cannot call provider '${id}': its credentials (${credentials}) ${what}`;
    return new UpstreamError("operator", message, { fault: "key" });
  }
  async function ask(): Promise<GivenToken> {
    const text = secrets(credentials)?.trim();
    if (text === undefined || text === "") throw fault("have no value");
    const account = accountIn(text);
    if (account === undefined) {
      throw fault(
        "are no key file of a service account: its client_email or private_key is missing",
      );
    }
    const assertion = await assertionOf(account, Math.floor(clock.now() / 1_000));
    if (assertion === undefined) throw fault("have a private_key that cannot be read");
    return await requestToken(transport, {
      service: "Google's token service",
      url: account.tokenUri,
      form: { grant_type: GRANT, assertion },
      timeouts,
      secrets: [assertion],
    });
  }
  return new TokenSource({ clock, ask });
}

function accountIn(text: string): Account | undefined {
  const { client_email, private_key, private_key_id, token_uri } = objectIn(text);
  const email = nonEmptyString(client_email);
  const privateKey = nonEmptyString(private_key);
  const tokenUri = nonEmptyString(token_uri) ?? TOKEN_URI;
  if (email === undefined || privateKey === undefined || !/^https?:\/\//.test(tokenUri)) {
    return undefined;
  }
  return { email, privateKey, tokenUri, keyId: nonEmptyString(private_key_id) };
}

/** @returns `undefined` where the key is none. */
async function assertionOf(account: Account, now: number): Promise<string | undefined> {
  const { email, keyId, privateKey, tokenUri } = account;
  const key = await importKey(privateKey);
  if (key === undefined) return undefined;
  const header = { alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + ASSERTED_SECONDS };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const bytes = new TextEncoder().encode(signed);
  const signature = new Uint8Array(await crypto.subtle.sign(key.algorithm, key, bytes));
  return `${signed}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

async function importKey(pem: string): Promise<CryptoKey | undefined> {
  const body = pem.replace(/-----(?:BEGIN|END) PRIVATE KEY-----/g, "").replace(/\s+/g, "");
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  try {
    const bytes = Uint8Array.fromBase64(body);
    return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  } catch {
    // What is wrong with it would be said with parts of it.
    return undefined;
  }
}

function encoded(value: JsonObject): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
