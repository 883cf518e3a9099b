/**
 * A provider of kind `bedrock`: where it asks in each of its APIs, and what it makes of AWS's refusals.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Provider as ProviderSettings } from "../../../src/domain/catalogue.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { createBedrock, nativeDialects } from "../../../src/providers/bedrock/provider.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import type { Transport, UpstreamRequest } from "../../../src/providers/transport/contract.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { messageBody } from "../../support/message_bodies.ts";
import {
  chatCall,
  completion,
  failureOf,
  never,
  providerSettings,
} from "../../support/provider_parts.ts";

const KEY = "bedrock-api-key-0123456789";
const MESSAGE = messageBody([{ type: "text", text: "Hi" }]);

async function bench(reply: Reply, settings: Partial<ProviderSettings> = {}) {
  const upstream = await startFakeUpstream(reply);
  const transport = createTransport({ clock: systemClock });
  const provider = createBedrock(
    providerSettings({
      kind: "bedrock",
      baseUrl: upstream.url,
      apiKeys: ["env:AWS_BEARER_TOKEN_BEDROCK"],
      ...settings,
      own: { aws_region: "eu-west-1", bedrock_api: "openai", ...settings.own },
    }),
    { transport, clock: systemClock, random: Math.random, secrets: () => KEY },
  );
  return {
    upstream,
    provider,
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  };
}

/** Where a provider without an address of the operator's asks. */
async function addressOf(own: object): Promise<string> {
  const sent: UpstreamRequest[] = [];
  const transport: Transport = {
    request(request) {
      sent.push(request);
      return Promise.reject(new Error("nothing is sent"));
    },
    close() {},
  };
  const provider = createBedrock(
    providerSettings({
      kind: "bedrock",
      baseUrl: undefined,
      own: { aws_region: "eu-west-1", ...own },
    }),
    { transport, clock: systemClock, random: Math.random, secrets: () => KEY },
  );
  const [exchange] = Object.values(provider.speaks);
  await exchange!.answer(chatCall(), never()).catch(() => {});
  return sent[0]!.url;
}

Deno.test("each API is at the region's own address", async () => {
  assert.equal(
    await addressOf({ bedrock_api: "openai" }),
    "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions",
  );
  assert.equal(
    await addressOf({ bedrock_api: "anthropic" }),
    "https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1/messages",
  );
});

Deno.test("chat and responses are asked with a bearer key", async () => {
  await using on = await bench(jsonReply(completion()));
  await on.provider.speaks.openai_chat!.answer(chatCall({}, { outputTokensCap: 7 }), never());
  const [request] = on.upstream.requests;
  assert.equal(request!.headers.get("authorization"), `Bearer ${KEY}`);
  assert.equal(request!.json().max_completion_tokens, 7);
  assert.deepEqual(Object.keys(on.provider.speaks), ["openai_chat", "openai_responses"]);
});

Deno.test("Claude is asked in Messages, as Anthropic itself is", async () => {
  await using on = await bench(jsonReply(MESSAGE), { own: { bedrock_api: "anthropic" } });
  const { body, usage } = await on.provider.speaks.anthropic_messages!.answer(chatCall(), never());
  assert.deepEqual(body.content, [{ type: "text", text: "Hi" }]);
  assert.ok(usage);
  const [request] = on.upstream.requests;
  assert.equal(request!.headers.get("authorization"), `Bearer ${KEY}`);
  assert.equal(request!.headers.get("anthropic-version"), "2023-06-01");
  assert.equal(request!.headers.get("x-api-key"), undefined);
});

Deno.test("only what is asked in Messages speaks them itself", () => {
  const of = (own: ProviderSettings["own"]) => nativeDialects(providerSettings({ own }));
  assert.deepEqual(of({ bedrock_api: "anthropic" }), ["anthropic_messages"]);
  assert.deepEqual(of({ bedrock_api: "openai" }), ["openai_chat"]);
  assert.deepEqual(of({ bedrock_api: "converse" }), []);
  assert.deepEqual(of({}), []);
});

Deno.test("with credentials each request is signed, and no key is sent", async () => {
  await using on = await bench(jsonReply(completion()), {
    apiKeys: [],
    auth: { kind: "none" },
    own: { aws: { access_key_id: "AKID", secret_access_key: "env:S" } },
  });
  await on.provider.speaks.openai_chat!.answer(chatCall(), never());
  const { headers } = on.upstream.requests[0]!;
  assert.match(
    headers.get("authorization")!,
    /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}$/,
  );
  assert.ok(!on.upstream.requests[0]!.head.includes(KEY));
});

const REFUSALS: readonly (readonly [
  status: number,
  kind: string,
  message: string,
  failure: string,
  fault?: string,
])[] = [
  [429, "ThrottlingException", "Too many requests, please wait before trying again.", "busy"],
  [429, "ModelNotReadyException", "The model is not ready", "busy"],
  [400, "ServiceQuotaExceededException", "Your quota is exceeded", "operator", "account"],
  [
    403,
    "AccessDeniedException",
    "You don't have access to the model with the specified model ID.",
    "operator",
    "model",
  ],
  [
    403,
    "AccessDeniedException:http://internal.amazon.com/coral/",
    "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel",
    "operator",
    "key",
  ],
  [403, "UnrecognizedClientException", "The security token is invalid.", "operator", "key"],
  [403, "ExpiredTokenException", "The security token has expired", "operator", "key"],
  [400, "ValidationException", "The text field in the ContentBlock object is blank.", "caller"],
  [
    400,
    "ValidationException",
    "Invocation of model ID x with on-demand throughput isn’t supported.",
    "operator",
    "model",
  ],
  [400, "ValidationException", "The provided model identifier is invalid.", "operator", "model"],
  [404, "ResourceNotFoundException", "Could not resolve the foundation model", "operator", "model"],
  [408, "ModelTimeoutException", "Timed out", "broken"],
  [424, "ModelErrorException", "The model failed", "broken"],
  [500, "InternalServerException", "Internal", "broken"],
];

Deno.test("refusals are judged by whose fault they are, by header or body, in each API", async () => {
  for (const [status, kind, message, failure, fault] of REFUSALS) {
    for (const api of ["openai", "anthropic"] as const) {
      const replies = [
        jsonReply({ message }, { status, headers: { "x-amzn-errortype": kind } }),
        jsonReply({ __type: `com.amazon.bedrock#${kind.replace(/:.*/, "")}`, Message: message }, {
          status,
        }),
      ];
      for (const reply of replies) {
        await using on = await bench(reply, { own: { bedrock_api: api } });
        const [exchange] = Object.values(on.provider.speaks);
        const error = await failureOf(exchange!.answer(chatCall(), never()));
        assert.deepEqual(
          [error.failure, error.fault, error.code === kind],
          [failure, fault, false],
          `${api} ${status} ${kind}`,
        );
        if (failure === "caller") assert.equal(error.publicMessage, message);
      }
    }
  }
});

Deno.test("without a region nothing is made", () => {
  const options = {
    transport: createTransport({ clock: systemClock }),
    clock: systemClock,
    random: Math.random,
    secrets: () => undefined,
  };
  assert.throws(() => createBedrock(providerSettings({ id: "aws" }), options), /'aws': aws_region/);
});
