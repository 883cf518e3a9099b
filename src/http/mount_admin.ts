/**
 * Administration at its paths, loaded with all of its operations at the first request there.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { AdminDeps } from "../admin/base/deps.ts";
import { onDemand } from "../domain/on_demand.ts";
import type { AppEnv } from "./context/request_context.ts";
import type { AdminWay } from "./endpoints/admin/admin_app.ts";
import { refuseUnknownPaths } from "./request_handler.ts";

/** Mounts `/admin/v1`. Who may come there is decided before. */
export function mountAdmin(
  app: Hono<AppEnv>,
  { deps, way }: { readonly deps: AdminDeps; readonly way: AdminWay },
): void {
  const administration = onDemand(async () => {
    const { createAdminApp } = await import("./endpoints/admin/admin_app.ts");
    const inner = new Hono<AppEnv>().route("/admin/v1", createAdminApp(deps, way));
    refuseUnknownPaths(inner);
    // Of the two apps the one around answers errors.
    inner.onError((error) => {
      throw error;
    });
    return inner;
  });
  app.all("/admin/v1/*", async ({ req, env }) => (await administration()).fetch(req.raw, env));
}
