import assert from "node:assert/strict";
import { Hono } from "@hono/hono";
import type { AdminClient } from "../../src/admin/base/client.ts";
import type { ConsoleEnv } from "../../src/console/frame/console_env.ts";
import { mountOverview } from "../../src/console/pages/overview.tsx";

const NOTHING = { object: "list", data: [], first_id: null, last_id: null, has_more: false };

/** The page, of a gateway without calls whose report says this of itself. */
async function overviewWith(cut: object | null): Promise<string> {
  const admin = {
    call: ({ name }: { readonly name: string }) =>
      Promise.resolve(
        name === "usage.report" ? { object: "usage_report", data: [], cut, archives: [] } : NOTHING,
      ),
  } as unknown as AdminClient;
  const app = new Hono<ConsoleEnv>();
  app.use(async (context, next) => {
    context.set("admin", admin);
    context.set("formToken", "token");
    await next();
  });
  mountOverview(app, () => Date.UTC(2026, 10, 22));
  return await (await app.request("/")).text();
}

Deno.test("the overview says where its sums are not whole, and else nothing of it", async () => {
  const cut = { reason: "rows", from: null, advice: "Ask for fewer days." };
  assert.match(await overviewWith(cut), /sums below are not whole\. Ask for fewer days\./);
  assert.doesNotMatch(await overviewWith(null), /not whole/);
});
