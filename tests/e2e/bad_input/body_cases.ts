/**
 * Bodies that are wrong, and the answer each must get.
 *
 * @module
 */

import { type BadRequest, chatBody } from "./bad_request.ts";

const MESSAGES = [{ role: "user", content: "Hello" }];

function deep(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const invalid = { status: 400, code: "invalid_value" };
const notJson = { status: 400, code: "invalid_json" };
const missing = { status: 400, code: "missing_required_parameter" };
const unselectable = { status: 400, code: "ROUTE_NOT_SELECTABLE" };
const wrongCoding = { status: 415, code: "unsupported_content_encoding" };
const wrongType = { status: 415, code: "unsupported_content_type" };

/** Bodies that are no JSON, or too much of it. */
export const BAD_BODIES: readonly BadRequest[] = [
  { name: "not JSON", body: "Hello", ...notJson },
  { name: "half a JSON object", body: '{"model": "echo-1", "messages": [', ...notJson },
  { name: "an empty body", body: "", ...notJson },
  { name: "no body at all", ...notJson },
  { name: "white space", body: " \r\n\t", ...notJson },
  { name: "a UTF-8 byte order mark and nothing else", body: "\ufeff", ...notJson },
  {
    name: "bytes that are no UTF-8",
    body: new Uint8Array([...new TextEncoder().encode('{"model": "'), 0xff, 0xfe, 0x22, 0x7d]),
    ...notJson,
  },
  { name: "UTF-16", body: new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), ...notJson },
  {
    name: "10,000 arrays deep",
    body: chatBody({ messages: 0 }).replace("0", deep(10_000)),
    ...notJson,
  },
  {
    name: "10,000 objects deep",
    body: '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
    ...notJson,
  },
  { name: "10,000 brackets that never close", body: "[".repeat(10_000), ...notJson },
  { name: "JSON after the JSON", body: chatBody({}) + chatBody({}), ...notJson },
  { name: "an array", body: "[]", ...invalid },
  { name: "a string", body: '"hello"', ...invalid },
  { name: "null", body: "null", ...invalid },
  {
    name: "a compressed body",
    headers: { "content-encoding": "gzip" },
    body: new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
    ...wrongCoding,
  },
  {
    name: "a body that says it is compressed twice",
    headers: { "content-encoding": "identity, br" },
    body: chatBody({}),
    ...wrongCoding,
  },
  {
    name: "text/plain",
    headers: { "content-type": "text/plain" },
    body: chatBody({}),
    ...wrongType,
  },
  {
    name: "no content type",
    headers: { "content-type": undefined },
    body: chatBody({}),
    ...wrongType,
  },
  {
    name: "a form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "model=echo-1",
    ...wrongType,
  },
  {
    name: "multipart",
    headers: { "content-type": "multipart/form-data; boundary=x" },
    body: "--x--\r\n",
    ...wrongType,
  },
  {
    name: "a type that only begins like JSON",
    headers: { "content-type": "application/jsonish" },
    body: chatBody({}),
    ...wrongType,
  },
];

/** Fields that are missing or of the wrong kind. */
export const BAD_FIELDS: readonly BadRequest[] = [
  { name: "model missing", body: chatBody({ model: undefined }), ...missing, param: "model" },
  {
    name: "messages missing",
    body: chatBody({ messages: undefined }),
    ...missing,
    param: "messages",
  },
  { name: "everything missing", body: "{}", ...missing, param: "model" },
  {
    name: "model in the prototype only",
    body: `{"__proto__": ${chatBody({})}, "messages": []}`,
    ...missing,
    param: "model",
  },
  { name: "model a number", body: chatBody({ model: 5 }), ...invalid, param: "model" },
  { name: "model null", body: chatBody({ model: null }), ...invalid, param: "model" },
  { name: "model empty", body: chatBody({ model: "" }), ...invalid, param: "model" },
  {
    name: "model too long",
    body: chatBody({ model: "m".repeat(5000) }),
    ...invalid,
    param: "model",
  },
  {
    name: "messages a string",
    body: chatBody({ messages: "Hello" }),
    ...invalid,
    param: "messages",
  },
  { name: "messages an object", body: chatBody({ messages: {} }), ...invalid, param: "messages" },
  { name: "messages empty", body: chatBody({ messages: [] }), ...invalid, param: "messages" },
  {
    name: "a message a string",
    body: chatBody({ messages: ["x"] }),
    ...invalid,
    param: "messages[0]",
  },
  {
    name: "a message without role",
    body: chatBody({ messages: [...MESSAGES, { content: "x" }] }),
    ...missing,
    param: "messages[1].role",
  },
  {
    name: "a role that is a number",
    body: chatBody({ messages: [{ role: 1, content: "x" }] }),
    ...invalid,
    param: "messages[0].role",
  },
  { name: "stream a string", body: chatBody({ stream: "yes" }), ...invalid, param: "stream" },
  {
    name: "max_tokens negative",
    body: chatBody({ max_tokens: -1 }),
    ...invalid,
    param: "max_tokens",
  },
  {
    name: "max_completion_tokens a fraction",
    body: chatBody({ max_completion_tokens: 1.5 }),
    ...invalid,
    param: "max_completion_tokens",
  },
  {
    name: "max_tokens beyond every number",
    body: chatBody({ max_tokens: 0 }).replace('"max_tokens":0', '"max_tokens":1e999'),
    ...invalid,
    param: "max_tokens",
  },
  { name: "n of 0", body: chatBody({ n: 0 }), ...invalid, param: "n" },
  { name: "n of a million", body: chatBody({ n: 1_000_000 }), ...invalid, param: "n" },
  {
    name: "include_usage a string",
    body: chatBody({ stream: true, stream_options: { include_usage: "yes" } }),
    ...invalid,
    param: "stream_options.include_usage",
  },
  {
    name: "an unknown model",
    body: chatBody({ model: "gpt-none" }),
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a model name of control characters",
    body: chatBody({ model: "\u0000\u001b[31mred\r\nx-evil: 1\u202e" }),
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a model name out of every object",
    body: chatBody({ model: "__proto__" }),
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a model of another kind",
    body: chatBody({ model: "vectors" }),
    ...invalid,
    param: "model",
  },
  {
    name: "a model that the key may not use",
    body: chatBody({ model: "secret" }),
    status: 403,
    code: "MODEL_NOT_ALLOWED",
    param: "model",
  },
];

/** The gateway's own fields. */
export const BAD_ROUTING: readonly BadRequest[] = [
  {
    name: "a preference that is not in the list",
    body: chatBody({ routing_preference: "cheapest" }),
    ...invalid,
    param: "routing_preference",
  },
  {
    name: "a preference that is a list",
    body: chatBody({ routing_preference: ["lowest_price"] }),
    ...invalid,
    param: "routing_preference",
  },
  {
    name: "a source_policy with an unknown key",
    body: chatBody({ source_policy: { exclude_risk: ["high"] } }),
    ...invalid,
    param: "source_policy.exclude_risk",
  },
  {
    name: "a source_policy with an unknown level",
    body: chatBody({ source_policy: { exclude_risk_levels: ["high", "extreme"] } }),
    ...invalid,
    param: "source_policy.exclude_risk_levels[1]",
  },
  {
    name: "a source_policy with levels in one string",
    body: chatBody({ source_policy: { exclude_risk_levels: "high" } }),
    ...invalid,
    param: "source_policy.exclude_risk_levels",
  },
  {
    name: "a source_policy of text",
    body: chatBody({ source_policy: "x" }),
    ...invalid,
    param: "source_policy",
  },
  {
    name: "a provider object that leaves none",
    body: chatBody({ provider: { only: ["a"] } }),
    ...unselectable,
    param: "provider",
  },
  {
    name: "a provider object with an unknown wish",
    body: chatBody({ provider: { onyl: ["a"] } }),
    ...invalid,
    param: "provider.onyl",
  },
  { name: "an empty route", body: chatBody({ route: "" }), ...invalid, param: "route" },
  {
    name: "an unknown provider",
    body: chatBody({ provider: "nobody" }),
    ...unselectable,
    param: "provider",
  },
  {
    name: "an unknown route",
    body: chatBody({ route: "nobody/echo" }),
    ...unselectable,
    param: "route",
  },
  {
    name: "a route of another model",
    body: chatBody({ route: "remote/theirs" }),
    ...unselectable,
    param: "route",
  },
  {
    name: "a provider and a route that contradict each other",
    body: chatBody({ provider: "remote", route: "builtin/echo-1" }),
    ...unselectable,
    // The provider serves nothing of this model.
    param: "provider",
  },
  {
    name: "a policy that leaves no route",
    body: chatBody({ source_policy: { exclude_risk_levels: ["low"] } }),
    status: 404,
    code: "NO_AVAILABLE_ROUTE",
    param: "source_policy",
  },
  {
    name: "official sources where there are none",
    body: chatBody({ routing_preference: "official_only" }),
    status: 404,
    code: "NO_AVAILABLE_ROUTE",
    param: "routing_preference",
  },
];
