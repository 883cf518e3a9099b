/**
 * The question which routes would make a film, and for how much.
 *
 * @module
 */

import assert from "node:assert/strict";
import { explainRoutes } from "../../src/admin/explain.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

const FILMS = `
providers:
  - { id: builtin, kind: builtin }
  - { id: wan, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - { id: echo, kind: chat, routes: [{ id: b/echo, provider: builtin, upstream_model: echo-1, free: true }] }
  - id: film
    kind: video
    routes:
      - id: builtin/film
        provider: builtin
        upstream_model: video-2
        sale: { second: { "720x1280": "0.01", "1280x720": "0.02" }, request: "0.5" }
        video: { sizes: [720x1280, 1280x720, 640x360], seconds: [4, 8] }
      - id: wan/film
        provider: wan
        supports: { vision: false, context_tokens: 10 }
        cost: { second: "0.10" }
        sale: { markup: "1.50" }
        video: { sizes: [1792x1024, 720x1280], seconds: [5, 4] }
projects:
  - { id: paying }
`;

function explain(admin: TestAdmin, input: object) {
  return runOperation(explainRoutes, { deps: admin.deps, input: { model: "film", ...input } });
}

Deno.test("a film is explained with the size and length that a request would get", async () => {
  await using admin = await openTestAdmin({ catalogue: FILMS });
  const plain = await explain(admin, { routing_preference: "lowest_price" });
  assert.deepEqual(plain.video, { size: "720x1280", seconds: 4 });
  assert.deepEqual(plain.candidates.map(({ route, price }) => [route, price.quote]), [
    ["builtin/film", "0.54000000"],
    ["wan/film", "0.60000000"],
  ]);
  assert.deepEqual(plain.rejected, []);
  const wide = await explain(admin, { size: "1792x1024" });
  assert.deepEqual(wide.video, { size: "1792x1024", seconds: 5 });
  assert.deepEqual(wide.candidates.map(({ route }) => route), ["wan/film"]);
  assert.deepEqual(wide.rejected, [{
    route: "builtin/film",
    provider: "builtin",
    reason: "size_not_offered",
    detail: "offers 720x1280, 1280x720, 640x360",
  }]);
  const named = await explain(admin, { route: "wan/film" });
  assert.deepEqual(named.video, { size: "1792x1024", seconds: 5 });
});

Deno.test("what nobody offers or prices is rejected with its reason", async () => {
  await using admin = await openTestAdmin({ catalogue: FILMS });
  const reasons = async (input: object) =>
    (await explain(admin, input)).rejected.map(({ reason }) => reason);
  assert.deepEqual(await reasons({ size: "640x360", seconds: 4 }), [
    "unpriced",
    "size_not_offered",
  ]);
  assert.deepEqual(await reasons({ size: "720x1280", seconds: 99 }), [
    "seconds_not_offered",
    "seconds_not_offered",
  ]);
  assert.deepEqual(await reasons({ vision: true }), ["vision_not_supported"]);
});

Deno.test("a project's hold of a film is its price, and its balance decides", async () => {
  await using admin = await openTestAdmin({ catalogue: FILMS });
  const { deps } = admin;
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "0.54" } });
  const asked = await explain(admin, { project: "paying" });
  assert.deepEqual(asked.candidates.map(({ route, hold }) => [route, hold]), [
    ["builtin/film", "0.54000000"],
  ]);
  assert.deepEqual(asked.rejected, [{
    route: "wan/film",
    provider: "wan",
    reason: "balance_too_low",
    detail: "would hold 0.60000000, the balance is 0.54000000",
  }]);
});

Deno.test("a chat model has no size and no length", async () => {
  await using admin = await openTestAdmin({ catalogue: FILMS });
  await assert.rejects(explain(admin, { model: "echo", size: "1x1" }), {
    error: "invalid_value",
    param: "size",
  });
  await assert.rejects(explain(admin, { model: "echo", seconds: 4 }), { param: "seconds" });
  assert.equal("video" in await explain(admin, { model: "echo" }), false);
});
