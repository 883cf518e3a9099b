/**
 * Who asks an S3 server, and which: by the variables that AWS' own tools read.
 *
 * @module
 */

import { isSecretReference } from "../domain/secret_uses.ts";
import type { SecretResult } from "./secrets.ts";

/** As read from the environment. */
export interface S3Environment {
  /** Without `/` at its end; `undefined` for AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /**
   * As they are now.
   *
   * @throws {Error} Saying which is missing, or what is wrong with the endpoint.
   */
  keys(): {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
}

/** Where no server's own region is named: AWS' first one, which other servers take as theirs. */
const REGION = "us-east-1";

/**
 * Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` (each the value, or a
 * reference to it), `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` or
 * `AWS_ENDPOINT_URL`. Nothing is wrong with them until a bucket is asked.
 */
export function readS3Access(
  env: Readonly<Record<string, string | undefined>>,
  resolve: (reference: string) => SecretResult,
): S3Environment {
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined;
  function secret(name: string): string {
    const given = env[name] ?? "";
    const found = resolve(isSecretReference(given) ? given : `env:${name}`);
    if (found.ok) return found.value;
    throw new Error(`Cannot ask a bucket: ${found.message}`);
  }
  return {
    endpoint: endpoint?.replace(/\/+$/, ""),
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || REGION,
    keys() {
      if (endpoint !== undefined && !isEndpoint(endpoint)) {
        throw new Error(
          "Cannot ask a bucket: AWS_ENDPOINT_URL_S3 is no address such as https://s3.example.com",
        );
      }
      return {
        accessKeyId: secret("AWS_ACCESS_KEY_ID"),
        secretAccessKey: secret("AWS_SECRET_ACCESS_KEY"),
        sessionToken: env.AWS_SESSION_TOKEN ? secret("AWS_SESSION_TOKEN") : undefined,
      };
    },
  };
}

/** A secret in it would be told in every message. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}
