import assert from "node:assert/strict";
import { befall } from "../befall.ts";
import { parseFilmFaults } from "../faults.ts";

Deno.test("befall() looks whether the film is to stop while a frame takes a minute", async () => {
  let looks = 0;
  const faults = parseFilmFaults("video-2:slow-60000,fail");

  await befall(faults, { isHalfWay: false, stopped: () => ++looks === 3 });

  assert.equal(looks, 3);
});

Deno.test("befall() fails half-way and only there", async () => {
  const faults = parseFilmFaults("video-2:fail");
  await befall(faults, { isHalfWay: false, stopped: () => false });
  await assert.rejects(befall(faults, { isHalfWay: true, stopped: () => false }), {
    name: "RenderError",
    kind: "failed",
  });
});
