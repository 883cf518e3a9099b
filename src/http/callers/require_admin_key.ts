/**
 * Guards `/admin/v1` over TCP with the operator's admin key.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "@hono/hono";
import { GatewayError } from "../../errors.ts";
import type { AppEnv } from "../context/request_context.ts";

const BEARER = /^bearer +(\S+) *$/i;

/** Makes the guard. Both sides are hashed, so that comparing takes the same time for any guess. */
export function requireAdminKey(adminKey: string): MiddlewareHandler<AppEnv> {
  const expected = sha256(adminKey);
  return async function requireAdminKey({ req }, next) {
    const presented = BEARER.exec(req.header("authorization") ?? "")?.[1] ?? "";
    if (!timingSafeEqual(sha256(presented), expected)) {
      throw new GatewayError(
        "project_key_invalid",
        "This path needs the gateway's admin key: send 'Authorization: Bearer <admin key>'",
      );
    }
    await next();
  };
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
