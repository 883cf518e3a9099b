import assert from "node:assert/strict";
import { billedVideo } from "../../src/domain/call.ts";
import { sampleClosedCall, sampleOpenCall } from "../conformance/storage_samples.ts";

const VIDEO = { size: "640x360", seconds: 4 };

Deno.test("billedVideo() tells what was charged of a film that was deleted", () => {
  const ended = (state: "settled" | "released", percent?: number) => {
    const video = { ...VIDEO, ...(percent !== undefined && { percent }) };
    return billedVideo(sampleClosedCall({ state, result: "client_aborted", video }));
  };
  assert.deepEqual(ended("settled", 25), { ...VIDEO, percent: 25, deleted: "progress" });
  assert.deepEqual(ended("settled"), { ...VIDEO, deleted: "full" });
  assert.deepEqual(ended("released"), { ...VIDEO, deleted: "free" });
});

Deno.test("billedVideo() says nothing of the kind of other films, and of other calls nothing", () => {
  assert.deepEqual(billedVideo({ ...sampleOpenCall({ video: VIDEO }), state: "open" }), VIDEO);
  assert.deepEqual(billedVideo(sampleClosedCall({ result: "completed", video: VIDEO })), VIDEO);
  const failed = { state: "released", result: "upstream_failed", video: VIDEO } as const;
  assert.deepEqual(billedVideo(sampleClosedCall(failed)), VIDEO);
  assert.equal(billedVideo(sampleClosedCall({ result: "client_aborted" })), undefined);
});
