import assert from "node:assert/strict";
import { Hono } from "@hono/hono";
import type { AdminClient } from "../../src/admin/base/client.ts";
import type { ConsoleEnv } from "../../src/console/frame/console_env.ts";
import { OWNER } from "../../src/domain/roles.ts";
import { mountOverview } from "../../src/console/pages/overview.tsx";

const NOTHING = { object: "list", data: [], first_id: null, last_id: null, has_more: false };

const FIGURES = {
  calls: 0,
  failed: 0,
  p50_ms: null,
  p95_ms: null,
  first_byte_p50_ms: null,
  first_byte_p95_ms: null,
};
const LATENCY = { object: "latency_report", all: FIGURES, data: [], parts: [], cut_at: null };

const QUEUE = { pauses: [], routes: [] };

/** The page, of a gateway without calls whose sums are whole, or not. */
async function overviewWith(whole: boolean): Promise<Response> {
  const admin = {
    call: ({ name }: { readonly name: string }) =>
      Promise.resolve(
        name === "usage.recent"
          ? { object: "recent_usage", data: [], whole, whole_since: "2026-11-20T00:00:00.000Z" }
          : name === "videos.queue"
          ? QUEUE
          : name === "latency.report"
          ? LATENCY
          : NOTHING,
      ),
  } as unknown as AdminClient;
  const app = new Hono<ConsoleEnv>();
  app.use(async (context, next) => {
    context.set("admin", admin);
    context.set("formToken", "token");
    context.set("rights", OWNER);
    await next();
  });
  mountOverview(app, () => Date.UTC(2026, 10, 22));
  return await app.request("/", {}, {});
}

Deno.test("the overview says since when its sums are whole, and looks again by itself till they are", async () => {
  const partial = await overviewWith(false);
  assert.match(await partial.text(), /still being added up: they have every call since 2026-11-20/);
  assert.equal(partial.headers.get("refresh"), "2");
  const whole = await overviewWith(true);
  assert.doesNotMatch(await whole.text(), /still being added up/);
  assert.equal(whole.headers.get("refresh"), null);
});
