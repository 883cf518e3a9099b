/**
 * The reference leaves nothing out. That it is not stale, `tests/readme_test.ts` says.
 *
 * @module
 */

import assert from "node:assert/strict";
import { referencePages } from "../../build/docs/reference_pages.ts";

import { VENDOR_NOTES } from "../../build/docs/vendor_notes.ts";
import { vendorPages } from "../../build/docs/vendor_pages.ts";
import { PROVIDER_KINDS } from "../../src/providers/kinds.ts";
import { PRESETS, VENDORS } from "../../src/vendors/presets.ts";

const pages = await referencePages();

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

Deno.test("every vendor that the program knows has a page, and every kind of provider a vendor", async () => {
  const pages = await vendorPages();
  for (const { vendor, key, provider } of PRESETS) {
    const text = pages.get(`${vendor}.md`)!;
    assert.ok(text.includes(`tollgate providers add ${vendor}`), vendor);
    assert.ok(text.includes(`kind: ${provider.kind}`), vendor);
    if (key !== undefined) assert.ok(text.includes(`env:${key}`), vendor);
    assert.ok(pages.get("README.md")!.includes(`(${vendor}.md)`), vendor);
  }
  assert.deepEqual(Object.keys(VENDOR_NOTES).toSorted(), [...VENDORS].toSorted());
  for (const { name } of PROVIDER_KINDS.filter(({ name }) => name !== "builtin")) {
    assert.ok(PRESETS.some(({ provider }) => provider.kind === name), name);
  }
  assert.match(pages.get("gemini.md")!, /`veo-[^`]+` \| video \| second/);
});
