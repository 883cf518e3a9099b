/**
 * The question which routes would make images of images.
 *
 * @module
 */

import assert from "node:assert/strict";
import { explainRoutes } from "../../src/admin/explain.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { openTestAdmin } from "./test_admin.ts";

const PAINTERS = `
providers:
  - { id: google, kind: gemini, api_key: env:NONE }
  - { id: up, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
models:
  - id: painter
    kind: image
    routes:
      - { id: google/nano, provider: google, upstream_model: gemini-3.1-flash-image, sale: { input: "1", input_image: "10", output_image: "100" } }
      - { id: google/imagen, provider: google, upstream_model: imagen-4.0-generate-001, sale: { image_out: "0.01" } }
      - { id: up/old, provider: up, supports: { image_edits: false }, sale: { image_out: "0.01" } }
      - { id: up/new, provider: up, sale: { image_out: "0.02" } }
`;

Deno.test("explain says which routes make images of images, and with a mask", async () => {
  await using admin = await openTestAdmin({ catalogue: PAINTERS });
  const explain = (input: object) =>
    runOperation(explainRoutes, { deps: admin.deps, input: { model: "painter", ...input } });
  const routes = (found: readonly { readonly route: string }[]) =>
    found.map(({ route }) => route).sort();
  const plain = await explain({});
  assert.equal(plain.candidates.length, 4);
  const edits = await explain({ vision: true });
  assert.deepEqual(routes(edits.candidates), ["google/nano", "up/new"]);
  assert.deepEqual(edits.rejected.map(({ route, reason, detail }) => [route, reason, detail]), [
    ["google/imagen", "endpoint_not_supported", "makes images of texts alone"],
    ["up/old", "endpoint_not_supported", "does not serve image_edits"],
  ]);
  const priceOf = (of: typeof plain) =>
    Number(of.candidates.find(({ route }) => route === "google/nano")!.price.quote);
  assert.ok(priceOf(edits) > priceOf(plain), "the images that are given cost, too");
  const masked = await explain({ vision: true, only_in: "openai_image_edits" });
  assert.deepEqual(routes(masked.candidates), ["up/new"]);
});
