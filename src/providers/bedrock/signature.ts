/**
 * Requests signed as AWS wants them (Signature Version 4), for accounts that have no key of Bedrock's
 * own.
 *
 * @module
 */

import { AwsV4Signer } from "aws4fetch";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { isSecretReference } from "../../domain/secret_uses.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import { isStreamed, wholeBody } from "../transport/contract.ts";
import type { Authority } from "../upstream/authority.ts";

/** Who signs; each a value or a reference to it. */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** Of credentials that end. */
  readonly session_token?: string | undefined;
}

/** Derived keys that are kept: one a day is made, of each secret. */
const MOST_DERIVED = 8;

/** Signs the bytes that are sent, at the time at which they are. */
export function awsSignature(
  credentials: AwsCredentials,
  { id, region }: { readonly id: ProviderSettings["id"]; readonly region: string },
  { clock, secrets }: Pick<ProviderOptions, "clock" | "secrets">,
): Authority {
  const derived = new Map<string, ArrayBuffer>();
  function valueOf(name: keyof AwsCredentials): string | undefined {
    const setting = credentials[name];
    if (setting === undefined || !isSecretReference(setting)) return setting;
    const value = secrets(setting)?.trim();
    if (value !== undefined && value !== "") return value;
    throw new UpstreamError(
      "operator",
      `Cannot call provider '${id}': its aws.${name} (${setting}) has no value`,
      { fault: "key" },
    );
  }
  return {
    async headersFor({ method, url, body }) {
      if (derived.size > MOST_DERIVED) derived.clear();
      if (isStreamed(body)) {
        throw new UpstreamError("operator", "Cannot sign a body before all of it is there");
      }
      const sessionToken = valueOf("session_token");
      const signer = new AwsV4Signer({
        method,
        url,
        // What else is sent a proxy may change; AWS wants no more than its own headers signed.
        headers: {},
        ...(body !== undefined && { body: wholeBody(body) }),
        accessKeyId: valueOf("access_key_id")!,
        secretAccessKey: valueOf("secret_access_key")!,
        ...(sessionToken !== undefined && { sessionToken }),
        service: serviceOf(url),
        region,
        cache: derived,
        datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
      });
      const { headers } = await signer.sign();
      return Object.fromEntries(headers);
    },
    // The references of settings are known to whoever conceals them.
    secrets: [],
    forget() {
      derived.clear();
      // What is signed with the same credentials is not taken either.
      return false;
    },
  };
}

/** The name under which a host is signed for. */
function serviceOf(url: string): string {
  return new URL(url).hostname.startsWith("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";
}
