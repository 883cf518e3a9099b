import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/video_schemas.json" with { type: "json" };
import { sampleTask } from "../../conformance/storage_video_samples.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { videoView, videoViewSchema } from "../../../src/http/schemas/video_view.ts";

const OPTIONS = { baseUrl: "https://films.example", publicLinks: true, currency: "USD" };
const OPENAI_KEYS = [
  "id",
  "object",
  "model",
  "status",
  "progress",
  "created_at",
  "completed_at",
  "expires_at",
  "prompt",
  "size",
  "seconds",
  "remixed_from_video_id",
  "error",
];
const OWN_KEYS = ["provider", "route"];

const completed: Partial<VideoTask> = {
  status: "completed",
  progress: 100,
  completedAt: 1_700_000_009_999,
  file: { bytes: 1, sha256: "0".repeat(64), hasThumbnail: true, key: undefined },
  costE8: 100_000_000n,
  saleE8: 250_000_000n,
};

const STATES: readonly (readonly [what: string, task: Partial<VideoTask>, own: string[]])[] = [
  ["queued", {}, []],
  ["in progress", { status: "in_progress", progress: 40, attempt: 1 }, []],
  ["completed", completed, ["output", "pricing"]],
  ["completed, its film gone", {
    ...completed,
    expiresAt: 1_700_000_010_000,
    fileRemovedAt: 1_700_000_010_000,
  }, ["pricing"]],
  ["failed", { status: "failed", error: { code: "upstream_error", message: "No" } }, []],
];

for (const [what, changes, own] of STATES) {
  Deno.test(`videoView() has all keys of OpenAI's Video when a task is ${what}, and its own`, () => {
    const task = sampleTask(changes);
    const view = videoView(task, OPTIONS);
    assert.deepEqual(new Set(Object.keys(view)), new Set([...OPENAI_KEYS, ...OWN_KEYS, ...own]));
    assert.deepEqual(videoViewSchema.parse(view), view);
    assert.equal(view.status, task.status);
    // Nothing inside is for callers.
    assert.doesNotMatch(
      JSON.stringify(view),
      new RegExp(`${task.projectId}"|${task.keyId}|fingerprint`),
    );
  });
}

Deno.test("OpenAI's Video requires the keys that videoView() always has", () => {
  const required: readonly string[] = schemas.$defs.VideoResource.required;
  assert.deepEqual(new Set(required), new Set(OPENAI_KEYS));
});

Deno.test("videoView() tells times in whole seconds, amounts with 8 digits, seconds as text", () => {
  const view = videoView(sampleTask({ ...completed, expiresAt: 1_700_003_609_999 }), OPTIONS);
  assert.equal(view.completed_at, 1_700_000_009);
  assert.equal(view.expires_at, 1_700_003_609);
  assert.equal(view.seconds, "4");
  assert.equal(view.output, `https://films.example/videos/${view.id}.mp4`);
  assert.deepEqual(view.pricing, {
    currency: "USD",
    cost_amount: "1.00000000",
    sale_amount: "2.50000000",
  });
});

Deno.test("videoView() has null for what does not apply", () => {
  const view = videoView(sampleTask(), OPTIONS);
  const { completed_at, expires_at, error, remixed_from_video_id } = view;
  assert.deepEqual([completed_at, expires_at, error, remixed_from_video_id], [
    null,
    null,
    null,
    null,
  ]);
});

Deno.test("videoView() has no link when the operator wants none", () => {
  const view = videoView(sampleTask(completed), { ...OPTIONS, publicLinks: false });
  assert.equal("output" in view, false);
});
