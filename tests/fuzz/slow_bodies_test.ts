/**
 * A short search for slow bodies, always the same one; `deno task fuzz` searches longer.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ENDPOINTS } from "../../src/http/server.ts";
import { pathsOf } from "../../src/http/endpoints/shape/endpoint.ts";
import { TARGETS } from "./slow_bodies/targets.ts";
import { searchSlowBodies } from "./slow_bodies/search.ts";

Deno.test("no body costs many times what a text of its size costs", async () => {
  const { bodies, faults } = await searchSlowBodies({ seed: 7, bodies: 60 });
  assert.deepEqual(faults, []);
  assert.equal(bodies, 60);
});

Deno.test("slow bodies are searched at every path that takes one, in each of its forms", () => {
  const taking = ENDPOINTS.flatMap((endpoint) => {
    const types = endpoint.description?.request?.types ?? [];
    const [path] = pathsOf(endpoint);
    return types.filter((type) => type !== "application/x-www-form-urlencoded")
      .map((type) => `${path} ${type}`);
  });
  const searched = TARGETS.map(({ path, isForm }) =>
    `${path} ${isForm ? "multipart/form-data" : "application/json"}`
  );
  assert.deepEqual(searched.toSorted(), taking.toSorted());
});
