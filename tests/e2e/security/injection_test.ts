/**
 * A text stays a text, wherever a caller puts it (LiteLLM CVE-2026-42208, new-api
 * CVE-2026-25591, Bifrost's ids in upstream paths, Open WebUI CVE-2026-44568).
 *
 * @module
 */

import assert from "node:assert/strict";
import { tryInjection } from "../../support/security/corpora/injection.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";

Deno.test("no text of a caller is taken for SQL, a path, a head, markup or a line of the log", async () => {
  await using world = await SecurityWorld.start({ args: ["--log-level", "debug"] });
  const { tried, broken } = await tryInjection(world);
  assert.deepEqual(broken, []);
  assert.ok(tried > 3_000, `only ${tried} cases were tried`);
});
