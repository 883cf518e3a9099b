/**
 * Signatures, against AWS's own implementation.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { awsSignature } from "../../../src/providers/bedrock/signature.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { never } from "../../support/provider_parts.ts";

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** What AWS's implementation wants of a hash. */
class Sha256 {
  readonly #hash;

  constructor(secret?: Bytes) {
    this.#hash = secret === undefined
      ? createHash("sha256")
      : createHmac("sha256", bytesOf(secret));
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {}
}

function bytesOf(data: Bytes): Uint8Array {
  if (typeof data === "string") return new TextEncoder().encode(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

const SECRETS: Record<string, string> = {
  "env:ID": "AKIDEXAMPLE",
  "env:SECRET": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  "env:TOKEN": "session/token==",
};

const CREDENTIALS = { access_key_id: "env:ID", secret_access_key: "env:SECRET" };

const REQUESTS: readonly (readonly [service: string, url: string, body?: string])[] = [
  ["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1/chat/completions", "{}"],
  [
    "bedrock",
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-3%3A0/converse",
    '{"messages":"Grüße 🐢"}',
  ],
  [
    "bedrock",
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus%3A1%3Aip%2Fx/converse",
    "{}",
  ],
  ["bedrock-mantle", "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages", "{}"],
  ["bedrock", "https://bedrock.us-east-1.amazonaws.com/foundation-models?b=2&a=%20x"],
  ["bedrock", "http://127.0.0.1:8123/model/a/converse", "{}"],
];

Deno.test("requests are signed as AWS's own clients sign them", async () => {
  for (const [service, url, body] of REQUESTS) {
    for (const session of [undefined, "env:TOKEN"]) {
      const clock = new FakeClock();
      const signer = awsSignature(
        { ...CREDENTIALS, ...(session && { session_token: session }) },
        { id: "aws", region: "us-east-1" },
        { clock, secrets: (reference) => SECRETS[reference] },
      );
      const request = {
        method: body === undefined ? "GET" : "POST",
        url,
        headers: {},
        body,
      } as const;
      const headers = await signer.headersFor(request, never());
      assert.deepEqual(
        headers,
        await signedByAws({ service, url, body, session, at: clock.now() }),
      );
    }
  }
});

Deno.test("a signature has the time at which it is sent", async () => {
  const clock = new FakeClock();
  const signer = awsSignature(CREDENTIALS, { id: "aws", region: "us-east-1" }, {
    clock,
    secrets: (reference) => SECRETS[reference],
  });
  const [, url, body] = REQUESTS[0]!;
  const sign = () => signer.headersFor({ method: "POST", url, headers: {}, body }, never());
  const first = await sign();
  clock.advance(86_400_000);
  const second = await sign();
  assert.equal(first["x-amz-date"], "20260101T000000Z");
  assert.equal(second["x-amz-date"], "20260102T000000Z");
  assert.notEqual(first.authorization, second.authorization);
});

Deno.test("a reference without a value is named, and is the operator's trouble", async () => {
  const signer = awsSignature(CREDENTIALS, { id: "aws", region: "us-east-1" }, {
    clock: new FakeClock(),
    secrets: (reference) => reference === "env:ID" ? SECRETS[reference] : undefined,
  });
  const [, url, body] = REQUESTS[0]!;
  const request = { method: "POST", url, headers: {}, body } as const;
  await assert.rejects(
    () => Promise.resolve(signer.headersFor(request, never())),
    (error: unknown) =>
      error instanceof UpstreamError && error.fault === "key" &&
      /aws\.secret_access_key \(env:SECRET\) has no value/.test(error.message),
  );
});

async function signedByAws({ service, url, body, session, at }: {
  readonly service: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly session: string | undefined;
  readonly at: number;
}): Promise<Record<string, string>> {
  const { protocol, hostname, host, port, pathname, searchParams } = new URL(url);
  const signer = new SignatureV4({
    service,
    region: "us-east-1",
    sha256: Sha256,
    applyChecksum: false,
    credentials: {
      accessKeyId: SECRETS["env:ID"]!,
      secretAccessKey: SECRETS["env:SECRET"]!,
      ...(session && { sessionToken: SECRETS[session]! }),
    },
  });
  const request = {
    method: body === undefined ? "GET" : "POST",
    protocol,
    hostname,
    ...(port !== "" && { port: Number(port) }),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { host },
    ...(body !== undefined && { body }),
  };
  // Its overloads are told apart by methods that are not called.
  const sign = signer.sign.bind(signer) as unknown as (
    request: object,
    options: object,
  ) => Promise<{ headers: Record<string, string> }>;
  const { headers } = await sign(request, { signingDate: new Date(at) });
  const { host: _host, ...own } = headers;
  return own;
}
