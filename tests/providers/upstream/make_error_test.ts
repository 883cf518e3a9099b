import assert from "node:assert/strict";
import {
  errorOfAnswer,
  errorOfBody,
  parseRetryAfter,
} from "../../../src/providers/upstream/make_error.ts";
import { OPENAI_ERRORS } from "../../../src/dialects/openai/read_error.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { AttemptFailure } from "../../../src/domain/upstream_error.ts";

const CONCEALED = { secrets: ["upstream-key-0123456789"], host: "llm.internal:8443" };
const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

function map(status: number, body: unknown, headers: Record<string, string> = {}) {
  return errorOfAnswer({
    status,
    header: (name) => headers[name],
    body: OPENAI_ERRORS.parse(typeof body === "string" ? body : JSON.stringify(body)),
    now: NOW,
  }, CONCEALED);
}

const STATUSES: readonly [status: number, body: unknown, failure: AttemptFailure][] = [
  [301, "", "broken"],
  [307, "", "broken"],
  [400, { error: { message: "no" } }, "caller"],
  [400, { error: { message: "no", code: "content_filter" } }, "caller"],
  [403, { error: { message: "no", code: "content_policy_violation" } }, "caller"],
  [413, "", "caller"],
  [422, { detail: "no" }, "caller"],
  [401, { error: { message: "no", code: "invalid_api_key" } }, "operator"],
  [402, { error: { message: "Insufficient Balance" } }, "operator"],
  // Whose fault these are nobody says: another project has to meet them too.
  [401, "", "doubtful"],
  [401, { detail: "Unauthorized" }, "doubtful"],
  [402, { error: { message: "Payment Required" } }, "doubtful"],
  [403, { error: { message: "no" } }, "doubtful"],
  [403, { error: { message: "no", type: "permission_error" } }, "doubtful"],
  [400, { error: { message: "no", type: "permission_error" } }, "doubtful"],
  [404, { error: { message: "No endpoints found that support image input" } }, "doubtful"],
  [404, "<html>not found</html>", "doubtful"],
  // What is quoted is the request's, whatever it says.
  [400, { error: { message: "Invalid value: 'invalid api key'. Use one of: 'auto'." } }, "caller"],
  [400, { error: { message: `Invalid value: 'x' invalid api key 'y'. Use 'auto'.` } }, "caller"],
  [400, { error: { message: 'Invalid value at "tier": "credit balance is too low"' } }, "caller"],
  [404, { error: { message: "No item with the id 'model not found'" } }, "doubtful"],
  [404, { error: { message: "No file `no such model` for this organization" } }, "doubtful"],
  [403, { error: { message: "You cannot use 'an expired api key' here" } }, "doubtful"],
  [429, { error: { message: "No slot for 'out of credits' is free" } }, "busy"],
  [424, { error: { message: "Error retrieving tool list from MCP server" } }, "doubtful"],
  [451, "", "doubtful"],
  // Too much of one request, not of all.
  [402, {
    error: {
      message: "This request requires more credits, or fewer max_tokens. You requested up to " +
        "8192 tokens, but can only afford 2000.",
      code: 402,
    },
  }, "oversized"],
  [429, {
    error: {
      message: "Request too large for gpt-5 in organization org-1 on tokens per min (TPM): " +
        "Limit 30000, Requested 36000. The input or output tokens must be reduced.",
      type: "tokens",
      code: "rate_limit_exceeded",
    },
  }, "oversized"],
  [413, {
    error: {
      message: "Request too large for model `x` on tokens per minute (TPM): Limit 6000, " +
        "Requested 7000, please reduce your message size and try again.",
    },
  }, "oversized"],
  [413, { error: { message: "Request too large" } }, "caller"],
  [429, {
    error: {
      message: "Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used " +
        "5500, Requested 1000. Please try again in 5.2s.",
    },
  }, "busy"],
  [401, { error: { message: "No auth credentials found", code: 401 } }, "operator"],
  [401, { message: "Invalid API key" }, "operator"],
  [402, { error: { message: "Insufficient credits. Add more", code: 402 } }, "operator"],
  [404, { error: { message: "no", code: "model_not_found" } }, "operator"],
  [404, { error: { message: "no", param: "model" } }, "operator"],
  [404, { error: { message: 'model "x" not found, try pulling it first' } }, "operator"],
  [404, { object: "error", message: "The model `x` does not exist.", code: 404 }, "operator"],
  [404, { error: { message: "No endpoints found for a/b." } }, "operator"],
  [404, { detail: "No such model: x" }, "operator"],
  [405, "", "operator"],
  [410, "", "operator"],
  [415, "", "operator"],
  [408, "", "broken"],
  [409, "", "broken"],
  [425, "", "broken"],
  [429, { error: { message: "slow", type: "requests", code: "rate_limit_exceeded" } }, "busy"],
  [429, "", "busy"],
  // Gemini's words for a rate per minute.
  [429, [{
    error: {
      code: 429,
      message: "You exceeded your current quota, please check your plan and billing details. " +
        "Please retry in 34.07s.",
      status: "RESOURCE_EXHAUSTED",
    },
  }], "busy"],
  [429, { error: { message: "You exceeded your current quota" } }, "operator"],
  [429, { error: { message: "pay", type: "insufficient_quota" } }, "operator"],
  [429, { error: { message: "pay", code: "insufficient_quota" } }, "operator"],
  [500, { error: { message: "oh" } }, "broken"],
  [502, "<html>bad gateway</html>", "broken"],
  [503, "", "broken"],
  [504, "", "broken"],
  [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "busy"],
  // Said with a 400, but the operator's fault.
  [400, { code: "Client specified …", error: "Incorrect API key provided: xa***yz" }, "operator"],
  [400, [{
    error: {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      status: "INVALID_ARGUMENT",
      details: [{ reason: "API_KEY_INVALID" }],
    },
  }], "operator"],
  [400, { error: { message: "Model Not Exist", type: "invalid_request_error" } }, "operator"],
  [400, { object: "error", message: "Invalid model: x", type: "invalid_model" }, "operator"],
  [
    400,
    { error: { type: "invalid_request_error", message: "Your credit balance is too low to …" } },
    "operator",
  ],
];

for (const [status, body, failure] of STATUSES) {
  const title = typeof body === "string" ? body : JSON.stringify(body);
  Deno.test(`errorOfAnswer() takes ${status} ${title.slice(0, 70)} for ${failure}`, () => {
    const error = map(status, body);
    assert.equal(error.failure, failure);
    assert.equal(error.status, status);
  });
}

const FAULTS: readonly [status: number, body: unknown, fault: string][] = [
  [401, { error: { message: "no", code: "invalid_api_key" } }, "key"],
  [402, { error: { message: "Insufficient Balance" } }, "account"],
  [429, { error: { message: "pay", type: "insufficient_quota" } }, "account"],
  [404, { error: { message: "no", code: "model_not_found" } }, "model"],
  [405, "", "settings"],
];

for (const [status, body, fault] of FAULTS) {
  Deno.test(`errorOfAnswer() finds the fault of ${status} in the operator's ${fault}`, () => {
    assert.equal(map(status, body).fault, fault);
  });
}

Deno.test("errorOfAnswer() takes 503 and 529 with Retry-After for busy", () => {
  for (const status of [503, 529]) {
    const error = map(status, "", { "retry-after": "7" });
    assert.equal(error.failure, "busy");
    assert.equal(error.retryAfterSeconds, 7);
  }
  assert.equal(map(500, "", { "retry-after": "7" }).failure, "broken");
});

const SHAPES: readonly [name: string, body: unknown, message: string | undefined, more?: object][] =
  [
    [
      "OpenAI's envelope",
      { error: { message: "Bad n", type: "invalid_request_error", param: "n", code: "invalid_n" } },
      "Bad n",
      { code: "invalid_n", param: "n" },
    ],
    ["an envelope with a number as code", { error: { message: "Bad n", code: 400 } }, "Bad n", {
      code: undefined,
    }],
    ["a bare message", { message: "Bad n", request_id: "1" }, "Bad n"],
    ["FastAPI's detail as a string", { detail: "Bad n" }, "Bad n"],
    [
      "FastAPI's detail as a list",
      {
        detail: [
          { loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" },
          { loc: ["body", "n"], msg: "Input should be a valid integer", type: "int" },
        ],
      },
      "messages.0.role: Field required; n: Input should be a valid integer",
      { param: "messages.0.role" },
    ],
    ["FastAPI's detail around an envelope", { detail: { error: { message: "Bad n" } } }, "Bad n"],
    [
      "Mistral's detail inside the message",
      { object: "error", message: { detail: [{ loc: ["body", "n"], msg: "Extra inputs" }] } },
      "n: Extra inputs",
      { param: "n" },
    ],
    ["a string under error", { error: "Bad n" }, "Bad n"],
    ["a list around the envelope", [{ error: { message: "Bad n", code: 400 } }], "Bad n"],
    ["a JSON string", '"Bad n"', "Bad n"],
    ["a page", "<html><body>Bad n at 10.1.2.3</body></html>", undefined],
    ["an empty body", "", undefined],
    ["an empty object", {}, undefined],
    ["an empty list", [], undefined],
    ["null", "null", undefined],
    ["a message that is no string", { error: { message: 7 } }, undefined],
    ["an empty message", { error: { message: "" } }, undefined],
  ];

for (const [name, body, message, more] of SHAPES) {
  Deno.test(`errorOfAnswer() reads ${name}`, () => {
    const error = map(400, body);
    assert.equal(error.publicMessage, message);
    for (const [field, value] of Object.entries(more ?? {})) {
      assert.equal(error[field as "code"], value, field);
    }
  });
}

Deno.test("errorOfAnswer() passes codes on only when they look like codes", () => {
  const error = map(400, { error: { message: "x", code: "see https://a/?key=1", param: "a\nb" } });
  assert.equal(error.code, undefined);
  assert.equal(error.param, undefined);
});

const RETRY_AFTER: readonly [Record<string, string>, number | undefined][] = [
  [{}, undefined],
  [{ "retry-after": "12" }, 12],
  [{ "retry-after": " 1.5 " }, 1.5],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "999999999" }, 86_400],
  [{ "retry-after": "1e9" }, undefined],
  [{ "retry-after-ms": "2500", "retry-after": "9" }, 2.5],
  [{ "retry-after-ms": "x", "retry-after": "9" }, 9],
];

for (const [headers, seconds] of RETRY_AFTER) {
  Deno.test(`parseRetryAfter() reads ${JSON.stringify(headers)} as ${seconds}`, () => {
    assert.equal(parseRetryAfter((name) => headers[name], NOW), seconds);
  });
}

const IN_BAND: readonly [value: unknown, failure: AttemptFailure, status: number | undefined][] = [
  [{ error: { message: "The server had an error" } }, "broken", undefined],
  [{ error: { message: "x", type: "server_error", code: null } }, "broken", undefined],
  [{ error: { message: "x", code: "content_filter" } }, "caller", 400],
  [{ error: { message: "x", type: "invalid_request_error" } }, "caller", 400],
  [{ error: { message: "x", code: "context_length_exceeded" } }, "caller", 400],
  [{ error: { message: "x", code: 429 } }, "busy", 429],
  [{ error: { message: "x", code: 502 } }, "broken", 502],
  [{ error: { message: "x", code: 422 } }, "caller", 422],
  [{ error: { message: "x", code: "rate_limit_exceeded" } }, "busy", undefined],
  [{ error: { message: "x", type: "overloaded_error" } }, "busy", undefined],
  [{ error: { message: "x", type: "insufficient_quota" } }, "operator", undefined],
  [{ error: { message: "x", type: "authentication_error" } }, "operator", undefined],
  [{ error: "boom" }, "broken", undefined],
  [{ object: "error", message: "x", type: "BadRequestError", code: 400 }, "caller", 400],
];

for (const [value, failure, status] of IN_BAND) {
  Deno.test(`an error inside a 2xx is taken: ${JSON.stringify(value)} for ${failure}`, () => {
    const error = errorOfBody(OPENAI_ERRORS.read(value as JsonObject), CONCEALED);
    assert.equal(error.failure, failure);
    assert.equal(error.status, status);
  });
}

Deno.test("OPENAI_ERRORS tells errors from chunks and answers", () => {
  assert.ok(OPENAI_ERRORS.isError({ error: { message: "x" } }));
  assert.ok(OPENAI_ERRORS.isError({ error: "x", choices: [] }));
  assert.ok(OPENAI_ERRORS.isError({ object: "error", message: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ detail: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ code: "x" }, "error"));
  assert.ok(!OPENAI_ERRORS.isError({ error: null, choices: [] }));
  assert.ok(!OPENAI_ERRORS.isError({ id: "1", choices: [] }));
  assert.ok(!OPENAI_ERRORS.isError({ usage: {} }));
  assert.ok(!OPENAI_ERRORS.isError({ type: "response.output_text.delta", message: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ type: "response.output_text.delta", error: "x" }));
  assert.ok(!OPENAI_ERRORS.isError({ type: "response.output_text.delta", error: "" }));
  assert.ok(!OPENAI_ERRORS.isError({ message: "x" }, "response.output_text.delta"));
  assert.ok(!OPENAI_ERRORS.isError({ type: "keepalive", message: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ type: "rate_limit_exceeded", message: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ type: "BadRequest", detail: "x" }));
  assert.ok(OPENAI_ERRORS.isError({ message: "x" }, "message"));
});

Deno.test("errorOfAnswer() keeps what an upstream says about a request out of the log's message", () => {
  const message = "messages[0].content: 'my secret prompt' is not allowed";
  const error = map(400, { error: { message, code: "invalid_request_error" } });
  assert.equal(error.failure, "caller");
  assert.equal(error.publicMessage, message);
  assert.equal(error.message, "The upstream answered 400");
  assert.equal(
    map(401, { error: { message: "No such key" } }).message,
    "The upstream answered 401: No such key",
  );
});
