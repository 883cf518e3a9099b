import assert from "node:assert/strict";
import { SealedRoutes } from "../../src/gateway/sealed_routes.ts";

const none = { routeOf: () => undefined };

Deno.test("no project pushes out what another's seals are from, nor reads it", () => {
  const routes = new SealedRoutes(none);
  routes.note("quiet", "seal", "a/m");
  for (let at = 0; at < 30_000; at++) routes.note("loud", `seal ${at}`, "b/m");
  assert.equal(routes.routeOf("quiet", "seal"), "a/m");
  assert.equal(routes.routeOf("loud", "seal"), undefined);
  assert.equal(routes.routeOf("loud", "seal 29999"), "b/m");
  assert.equal(routes.routeOf("loud", "seal 0"), undefined, "its own oldest are forgotten");
});

Deno.test("of many projects the one that is quiet for the longest time is forgotten", () => {
  const routes = new SealedRoutes(none);
  for (let project = 0; project < 12; project++) {
    for (let at = 0; at < 4_000; at++) routes.note(`p${project}`, `seal ${at}`, "b/m");
  }
  assert.equal(routes.routeOf("p0", "seal 3999"), undefined);
  assert.equal(routes.routeOf("p11", "seal 0"), "b/m");
});
