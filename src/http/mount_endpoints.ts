/**
 * Puts endpoints at their paths.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import type { Family } from "../dialects/base/dialect.ts";
import { OPENAI } from "../dialects/openai/family.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppEnv } from "./context/request_context.ts";
import { type Endpoint, type Handler, pathsOf } from "./endpoints/shape/endpoint.ts";

/** Whose errors are answered at a path, by its pattern; OpenAI's where none is named. */
export type Families = ReadonlyMap<string, Family>;

/** Makes the handler of each, and adds it under all of its paths. */
export function mountEndpoints(
  app: Hono<AppEnv>,
  endpoints: readonly Endpoint[],
  deps: ApiDeps,
): Families {
  const families = new Map<string, Family>();
  for (const endpoint of endpoints) {
    const { method, family } = endpoint;
    const handler = inFamily(endpoint.handler(deps), family);
    for (const pattern of pathsOf(endpoint).map(asPattern)) {
      app.on(method, pattern, handler);
      if (family !== undefined) families.set(pattern, family);
    }
  }
  return families;
}

/** Every request begins in OpenAI's. */
function inFamily(handler: Handler, family: Family | undefined): Handler {
  if (family === undefined || family === OPENAI) return handler;
  return (context) => {
    context.env.family = family;
    return handler(context);
  };
}

/** As Hono writes parameters: `:id`, and `:id{.+}` where it may have slashes. */
function asPattern(path: string): string {
  return path.replaceAll(
    /\{(\+?)(\w+)\}/g,
    (_, plus, name) => plus === "" ? `:${name}` : `:${name}{.+}`,
  );
}
