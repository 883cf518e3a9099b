/**
 * The admin API's reference, made where the API's own is.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { ConsoleEnv } from "../frame/console_env.ts";

/** Adds it. */
export function mountReference(app: Hono<ConsoleEnv>): void {
  app.get(
    "/docs",
    ({ req, env }) => env.api.reference({ operation: req.query("operation"), q: req.query("q") }),
  );
}
