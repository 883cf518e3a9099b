/**
 * Headers of every page of the console: it loads nothing from elsewhere, runs no script but its own, is
 * shown in no frame and kept in no cache.
 *
 * @module
 */

import type { MiddlewareHandler } from "@hono/hono";
import type { ConsoleEnv } from "./console_env.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Those of every answer; handed to whoever makes one elsewhere. */
export const SECURITY_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  // Not 'no-referrer': by that, forms come with `Origin: null` (Fetch, "append a request Origin header"),
  // and without TLS browsers have nothing else to say whose page sent them.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

export function securityHeaders(): MiddlewareHandler<ConsoleEnv> {
  return async function securityHeaders(context, next) {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      context.res.headers.set(name, value);
    }
    context.res.headers.set("x-request-id", context.env.identity.requestId);
    if (!context.res.headers.has("cache-control")) {
      context.res.headers.set("cache-control", "no-store");
    }
  };
}
