/**
 * A service account of Google's, and what its assertions say.
 *
 * @module
 */

import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { Buffer } from "node:buffer";

/** An account with a key of its own. */
export interface ServiceAccount {
  /** Its key file. */
  readonly file: string;
  readonly email: string;
  /** Checks an assertion's signature. */
  claimsOf(assertion: string): { readonly header: Claims; readonly claims: Claims };
}

type Claims = Readonly<Record<string, unknown>>;

/** Makes one whose tokens are had at an address. */
export function serviceAccount(tokenUri: string): ServiceAccount {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const email = "gateway@shop-1.iam.gserviceaccount.com";
  return {
    email,
    file: JSON.stringify({
      type: "service_account",
      project_id: "shop-1",
      private_key_id: "key-1",
      private_key: privateKey,
      client_email: email,
      token_uri: tokenUri,
    }),
    claimsOf(assertion) {
      const [header, claims, signature] = assertion.split(".") as [string, string, string];
      const bytes = Buffer.from(signature, "base64url");
      assert.ok(verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, bytes));
      return { header: decoded(header), claims: decoded(claims) };
    },
  };
}

function decoded(part: string): Claims {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
