/**
 * Puts endpoints at their paths.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppEnv } from "./context/request_context.ts";
import { type Endpoint, pathsOf } from "./endpoints/shape/endpoint.ts";

/** Makes the handler of each, and adds it under all of its paths. */
export function mountEndpoints(
  app: Hono<AppEnv>,
  endpoints: readonly Endpoint[],
  deps: ApiDeps,
): void {
  for (const endpoint of endpoints) {
    const handler = endpoint.handler(deps);
    for (const path of pathsOf(endpoint)) app.on(endpoint.method, asPattern(path), handler);
  }
}

/** As Hono writes parameters: `:id`, and `:id{.+}` where it may have slashes. */
function asPattern(path: string): string {
  return path.replaceAll(
    /\{(\+?)(\w+)\}/g,
    (_, plus, name) => plus === "" ? `:${name}` : `:${name}{.+}`,
  );
}
