/**
 * What AWS makes of a signed request: its signature is made again, by AWS's description of it alone
 * (Signature Version 4, "Create a signed AWS API request").
 *
 * @module
 */

import { createHash, createHmac } from "node:crypto";
import type { RecordedRequest } from "../../support/fake_upstream.ts";

/** Who may ask. */
export interface Account {
  readonly id: string;
  readonly secret: string;
  readonly token: string;
  readonly region: string;
}

/** Why a request is refused, as an AWS error's kind and words; `undefined` where it is signed as it should be. */
export function faultOfSignature(
  request: RecordedRequest,
  account: Account,
): readonly [kind: string, message: string] | undefined {
  const { method, target, headers, body } = request;
  const [, id, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
      .exec(headers.get("authorization") ?? "") ?? [];
  if (id === undefined || scope === undefined) {
    return ["MissingAuthenticationTokenException", "Missing Authentication Token"];
  }
  if (id !== account.id) {
    return [
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    ];
  }
  if (headers.get("x-amz-security-token") !== account.token) {
    return ["ExpiredTokenException", "The security token included in the request is expired"];
  }
  const [day, region, service, end] = scope.split("/");
  if (region !== account.region) {
    const message = `Credential should be scoped to a valid region, not '${region}'. `;
    return ["InvalidSignatureException", message];
  }
  const date = headers.get("x-amz-date")!;
  const [path, query = ""] = target.split("?");
  const canonical = [
    method,
    // Each part is escaped once more than it is sent.
    path!.split("/").map(encodeURIComponent).join("/"),
    query.split("&").sort().join("&"),
    ...names!.split(";").map((name) => `${name}:${headers.get(name)!.trim()}`),
    "",
    names,
    hash(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, hash(canonical)].join("\n");
  const key = [day!, region, service!, end!].reduce<string | Uint8Array>(
    (secret, part) => hmac(secret, part),
    `AWS4${account.secret}`,
  );
  const isRight = date.startsWith(day!) && service === "bedrock" &&
    names!.split(";").includes("x-amz-security-token") &&
    createHmac("sha256", key).update(text).digest("hex") === signature;
  return isRight ? undefined : [
    "InvalidSignatureException",
    "The request signature we calculated does not match the signature you provided.",
  ];
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}
