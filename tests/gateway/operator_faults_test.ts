/**
 * What an operator has got wrong, at each kind of upstream, as vendors answer it: what a caller reads of
 * it, and what the operator does.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";

const SECRET = "sk-operator-0123456789abcdef";

/** A vendor's refusal: status, body and what AWS says of it in a header. */
type Refusal = readonly [status: number, body: unknown, kind?: string];

interface Kind {
  readonly provider: string;
  /** By fault. */
  readonly refusals: Readonly<Record<string, Refusal>>;
}

const openai = (code: string | null, message: string, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string, reason?: string) => ({
  error: {
    code,
    message,
    status,
    ...(reason !== undefined && {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }],
    }),
  },
});

const KINDS: Readonly<Record<string, Kind>> = {
  openai: {
    provider: "kind: openai_compatible, auth: bearer",
    refusals: {
      model: [404, openai("model_not_found", "The model `m-upstream` does not exist")],
      key: [401, openai("invalid_api_key", `Incorrect API key provided: ${SECRET}`)],
      account: [429, openai("insufficient_quota", "You exceeded your current quota")],
    },
  },
  ollama: {
    provider: "kind: openai_compatible, auth: bearer",
    refusals: {
      model: [404, openai(null, 'model "m-upstream" not found, try pulling it first', "api_error")],
    },
  },
  anthropic: {
    provider: "kind: anthropic",
    refusals: {
      model: [404, anthropic("not_found_error", "model: m-upstream")],
      key: [401, anthropic("authentication_error", `invalid x-api-key ${SECRET}`)],
      account: [
        400,
        anthropic(
          "invalid_request_error",
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing",
        ),
      ],
    },
  },
  gemini: {
    provider: "kind: gemini",
    refusals: {
      model: [
        404,
        google(404, "NOT_FOUND", "models/m-upstream is not found for API version v1beta"),
      ],
      key: [400, google(400, "INVALID_ARGUMENT", "API key not valid.", "API_KEY_INVALID")],
      account: [
        403,
        google(
          403,
          "PERMISSION_DENIED",
          "This API method requires billing to be enabled.",
          "BILLING_DISABLED",
        ),
      ],
    },
  },
  azure: {
    provider: "kind: azure",
    refusals: {
      model: [
        404,
        openai("DeploymentNotFound", "The API deployment for this resource does not exist."),
      ],
      key: [401, {
        error: {
          code: "401",
          message: "Access denied due to invalid subscription key or wrong API endpoint.",
        },
      }],
      account: [429, openai("insufficient_quota", "You exceeded your current quota")],
    },
  },
  bedrock: {
    provider: "kind: bedrock, aws_region: us-east-1",
    refusals: {
      model: [400, { message: "The provided model identifier is invalid." }, "ValidationException"],
      key: [
        403,
        { message: "The security token included in the request is invalid." },
        "UnrecognizedClientException",
      ],
      account: [400, { message: "Too many." }, "ServiceQuotaExceededException"],
    },
  },
};

async function asked(kind: string, url: string) {
  const { provider } = KINDS[kind]!;
  await using gateway = await startTestGateway({
    secrets: { KEY: SECRET },
    catalogue: `
providers: [{ id: up-secret-name, ${provider}, base_url: "${url}", api_key: env:KEY }]
models: [{ id: m, kind: chat, routes: [{ id: r, provider: up-secret-name, upstream_model: m-upstream, free: true }] }]
`,
  });
  const key = await gateway.key("default");
  const response = await gateway.chat({ model: "m", messages: [{ role: "user", content: "Hi" }] }, {
    key,
  });
  const text = await response.text();
  // By then all of it is written.
  await gateway.stop();
  return { status: response.status, headers: response.headers, text, log: gateway.log() };
}

const SAID: Readonly<Record<string, string>> = {
  model: "its upstream does not know the model",
  key: "its upstream does not take the gateway's key",
  account: "the gateway's account with its upstream is exhausted or closed",
};

for (const [kind, { refusals }] of Object.entries(KINDS)) {
  Deno.test(`${kind}: a caller reads what is the operator's fault, and no secret`, async () => {
    for (const [fault, [status, body, exception]] of Object.entries(refusals)) {
      await using upstream = await startFakeUpstream({
        status,
        headers: {
          "content-type": "application/json",
          ...(exception !== undefined && { "x-amzn-errortype": exception }),
        },
        steps: [JSON.stringify(body)],
        framing: "length",
      });
      const { status: told, headers, text, log } = await asked(kind, upstream.url);
      assert.equal(told, 503, `${fault}: ${text}`);
      const { error } = JSON.parse(text);
      assert.equal(
        error.message,
        `No route of model 'm' serves this request now: ${SAID[fault]}. ` +
          "Choose another model or tell the operator",
      );
      assert.equal(error.routes[0].detail, `upstream answered ${status}: ${SAID[fault]}`);
      assert.ok(Number(headers.get("retry-after")) >= 60);
      assertDiscreet(text, upstream.url);
      // The operator reads the upstream's own words, and no key either.
      await upstream.requests[0]!.closed;
      const failed = log.split("\n").find((line) => line.includes('"attempt_failed"')) ?? "";
      assert.match(failed, new RegExp(`"status":${status}.*The upstream answered ${status}`));
      assert.match(failed, /"model":"m"/);
      assert.ok(!log.includes(SECRET), log);
    }
  });
}

Deno.test("an upstream that cannot be reached is said to be, and why to the operator alone", async () => {
  const there: Readonly<Record<string, RegExp>> = {
    "http://127.0.0.1:1/v1": /"cause":"ConnectionRefused/,
    "http://nowhere.invalid/v1": /"cause":"[^"]*lookup/,
  };
  for (const [url, cause] of Object.entries(there)) {
    const { status, text, log } = await asked("openai", url);
    assert.equal(status, 503);
    assert.equal(JSON.parse(text).error.routes[0].detail, "its upstream cannot be reached");
    assert.match(log, cause);
    assertDiscreet(text, url);
  }
});

/** Neither key, nor its variable, nor where the upstream is, nor what the model is called there. */
function assertDiscreet(text: string, url: string): void {
  for (const secret of [SECRET, "KEY", new URL(url).host, "m-upstream"]) {
    assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }
}
