/**
 * Keys, paths, methods and heads that are wrong, and the answer each must get.
 *
 * @module
 */

import { type BadRequest, chatBody } from "./bad_request.ts";

const badKey = { status: 401, code: "PROJECT_KEY_INVALID", body: chatBody({}) };
const nothing = { status: 404, code: "not_found", body: chatBody({}) };
const wrongMethod = { status: 405, code: "method_not_allowed" };

/** Keys that are none. */
export const BAD_KEYS: readonly BadRequest[] = [
  { name: "no Authorization", headers: { authorization: undefined }, ...badKey },
  { name: "an empty Authorization", headers: { authorization: "" }, ...badKey },
  { name: "a scheme without a key", headers: { authorization: "Bearer" }, ...badKey },
  { name: "Basic", headers: { authorization: "Basic dXNlcjpwYXNz" }, ...badKey },
  { name: "Token", headers: { authorization: "Token {key}" }, ...badKey },
  { name: "the key alone", headers: { authorization: "{key}" }, ...badKey },
  { name: "two keys", headers: { authorization: "Bearer {key} {key}" }, ...badKey },
  { name: "a key and more", headers: { authorization: "Bearer {key}x" }, ...badKey },
  { name: "a key in quotes", headers: { authorization: 'Bearer "{key}"' }, ...badKey },
  {
    name: "a key of 50,000 characters",
    headers: { authorization: `Bearer ${"k".repeat(50_000)}` },
    ...badKey,
  },
  { name: "a key of other bytes", headers: { authorization: "Bearer sk-tg-\xe9\xff" }, ...badKey },
  {
    name: "a key elsewhere",
    target: "/v1/chat/completions?api_key={key}",
    headers: { "authorization": undefined, "api-key": "{key}", "x-api-key": "{key}" },
    ...badKey,
  },
  {
    name: "no key for the models",
    method: "GET",
    target: "/v1/models",
    headers: { authorization: undefined },
    status: 401,
    code: "PROJECT_KEY_INVALID",
  },
  // Who asks is settled before what is asked.
  {
    name: "no key and no JSON",
    headers: { authorization: undefined },
    body: "Hello",
    status: 401,
    code: "PROJECT_KEY_INVALID",
  },
];

/** Paths and methods that are not there. */
export const BAD_PATHS: readonly BadRequest[] = [
  { name: "doubled slashes", target: "//v1//chat/completions", ...nothing },
  { name: "a doubled slash inside", target: "/v1//chat/completions", ...nothing },
  { name: "a slash at the end", target: "/v1/chat/completions/", ...nothing },
  { name: "an encoded slash", target: "/v1/chat%2Fcompletions", ...nothing },
  {
    name: "an encoded slash in the prefix",
    target: "/api%2fgateway/v1/chat/completions",
    ...nothing,
  },
  { name: "an encoded zero", target: "/v1/chat/completions%00", ...nothing },
  { name: "a broken percent-encoding", target: "/v1/chat/completions%zz", ...nothing },
  { name: "capitals", target: "/V1/Chat/Completions", ...nothing },
  { name: "no version", target: "/chat/completions", ...nothing },
  { name: "another version", target: "/v2/chat/completions", ...nothing },
  { name: "a path of nobody", method: "GET", target: "/nothing", status: 404, code: "not_found" },
  { name: "a file", method: "GET", target: "/v1/../../etc/passwd", status: 404, code: "not_found" },
  {
    name: "an encoded file",
    method: "GET",
    target: "/v1/%2e%2e%2f%2e%2e%2fetc/passwd",
    status: 404,
    code: "not_found",
  },
  {
    name: "administration",
    method: "GET",
    target: "/admin/v1/keys",
    status: 404,
    code: "not_found",
  },
  { name: "GET on chat", method: "GET", ...wrongMethod, allow: "POST" },
  { name: "HEAD on chat", method: "HEAD", ...wrongMethod, allow: "POST" },
  { name: "OPTIONS on chat", method: "OPTIONS", ...wrongMethod, allow: "POST" },
  { name: "PUT on chat", method: "PUT", body: chatBody({}), ...wrongMethod, allow: "POST" },
  {
    name: "PATCH on the alias",
    method: "PATCH",
    target: "/api/gateway/v1/chat/completions",
    body: chatBody({}),
    ...wrongMethod,
    allow: "POST",
  },
  { name: "POST on models", target: "/v1/models", body: "{}", ...wrongMethod, allow: "GET, HEAD" },
  {
    name: "DELETE on a model",
    method: "DELETE",
    target: "/v1/models/echo-1",
    ...wrongMethod,
    allow: "GET, HEAD",
  },
  {
    name: "PUT on healthz",
    method: "PUT",
    target: "/healthz",
    body: "x",
    ...wrongMethod,
    allow: "GET, HEAD",
  },
  { name: "an unknown method", method: "BREW", ...wrongMethod, allow: "POST" },
];

/** Heads that are no HTTP, which end their connection. */
export const BAD_HEADS: readonly {
  readonly name: string;
  /** Everything up to the body; `{key}` stands for the project key. */
  readonly head: string;
  readonly status: number;
  /** Default `malformed_request`. */
  readonly code?: string;
}[] = [
  {
    name: "no Host",
    head: "GET /v1/models HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\r\n",
    status: 400,
  },
  { name: "two Hosts", head: "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", status: 400 },
  {
    name: "a Host of nonsense",
    head: "GET /healthz HTTP/1.1\r\nHost: a/b?c\r\n\r\n",
    status: 400,
  },
  {
    name: "Content-Length and Transfer-Encoding",
    head: "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n" +
      "Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "0\r\n\r\n",
    status: 400,
  },
  {
    name: "two Content-Lengths",
    head: "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n" +
      "Content-Length: 9\r\n\r\n",
    status: 400,
  },
  {
    name: "a transfer coding that only looks like chunked",
    head: "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
    status: 400,
  },
  {
    name: "a control character in a header",
    head: "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: b\x01c\r\n\r\n",
    status: 400,
  },
  {
    name: "a control character in the path",
    head: "GET /healthz\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
    status: 400,
  },
  { name: "a folded header", head: "GET /healthz HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", status: 400 },
  { name: "bare line feeds", head: "GET /healthz HTTP/1.1\nHost: a\n\n", status: 400 },
  {
    name: "HTTP/2",
    head: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    status: 505,
    code: "http_version_not_supported",
  },
  { name: "no HTTP at all", head: "\x16\x03\x01 hello\r\n\r\n", status: 400 },
  {
    name: "a head without an end",
    head: `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${"b".repeat(70_000)}\r\n\r\n`,
    status: 431,
    code: "request_head_too_large",
  },
  {
    name: "a thousand headers",
    head: `GET /healthz HTTP/1.1\r\nHost: a\r\n${"X-A: b\r\n".repeat(1000)}\r\n`,
    status: 431,
    code: "request_head_too_large",
  },
];
