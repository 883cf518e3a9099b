import assert from "node:assert/strict";
import { findWork } from "../../src/videos/video_work.ts";
import { model, route } from "../support/catalogue_parts.ts";
import { videoRoute } from "../support/video_parts.ts";

const wishes = { provider: undefined, route: undefined };

Deno.test("findWork() fills in what a request leaves out", () => {
  const film = model([videoRoute("here")], { id: "film", kind: "video" });
  const asked = { size: undefined, seconds: undefined, wishes };
  assert.deepEqual(findWork(film, asked), { size: "640x360", seconds: 4 });
  assert.deepEqual(findWork(film, { ...asked, seconds: 9 }), { size: "640x360", seconds: 9 });
  const given = { size: "1x1", seconds: 1 };
  assert.deepEqual(findWork(film, { ...asked, ...given }), given);
});

Deno.test("findWork() refuses a model whose routes make no films", () => {
  const none = model([route()], { id: "film", kind: "video" });
  assert.throws(() => findWork(none, { size: undefined, seconds: undefined, wishes }), {
    error: "invalid_value",
    param: "model",
  });
});
