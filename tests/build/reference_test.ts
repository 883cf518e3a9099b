/**
 * The reference leaves nothing out. That it is not stale, `tests/readme_test.ts` says.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { REFERENCE_FOLDER, referencePages } from "../../build/docs/reference_pages.ts";

const pages = await referencePages();

Deno.test("the reference has the pages that are made, and no others", () => {
  assert.deepEqual(readdirSync(REFERENCE_FOLDER).toSorted(), [...pages.keys()].toSorted());
});

Deno.test("the reference leaves nothing out", () => {
  const has = (name: string, ...texts: readonly string[]) => {
    for (const text of texts) assert.ok(pages.get(name)!.includes(text), `${name}: ${text}`);
  };
  has("settings.md", "`--video-quota-bytes`", "`TOLLGATE_ADMIN_KEY`");
  assert.ok(!pages.get("settings.md")!.includes("`--admin-key`"), "a secret is no option");
  has("commands.md", "## routes explain", "`--routing-preference", "`lowest_price`");
  has("catalogue.md", "`providers[].base_url`", "`models[].routes[].sale", "## projects");
  has("api.md", "## POST /v1/chat/completions", "## GET /v1/videos/\\{id\\}");
  assert.ok(!pages.get("api.md")!.includes("## POST /api/gateway"), "told once");
  has("admin-api.md", "## POST /admin/v1/projects/\\{project\\}/credit", "For the roles");
  has("errors.md", "`INSUFFICIENT_BALANCE`", "`idempotency_key_reused`");
  has("metrics.md", "`tollgate_calls_total`", "`tollgate_route_up`");
});
