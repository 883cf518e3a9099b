import assert from "node:assert/strict";
import type { VideoDetails } from "../../src/admin/videos.ts";
import { videoFacts } from "../../src/cli/commands/videos.ts";

const WAITING: VideoDetails = {
  id: "video_a",
  project: "shop",
  key: "key_1",
  request_id: "req_1",
  model: "wan",
  provider: "gpu",
  route: "gpu/wan",
  status: "in_progress",
  progress: 0,
  size: "640x360",
  seconds: 4,
  prompt: "A boat",
  created_at: "2026-01-01T00:00:00.000Z",
  started_at: "2026-01-01T00:00:01.000Z",
  completed_at: null,
  expires_at: null,
  attempts: 1,
  failures: 1,
  restarts: 0,
  error: null,
  file: null,
  currency: "USD",
  cost: null,
  sale: null,
  last_error: {
    at: "2026-01-01T00:00:02.000Z",
    route: "gpu/wan",
    message: "The upstream could not be reached: Connection refused",
  },
  next_try_at: "2026-01-01T00:00:07.000Z",
};

function fact(row: VideoDetails, wanted: string): string | undefined {
  return videoFacts(row).find(([name]) => name === wanted)?.[1] ?? undefined;
}

Deno.test("videoFacts() tells what went wrong last and when the next try is", () => {
  assert.equal(
    fact(WAITING, "last error"),
    "The upstream could not be reached: Connection refused (gpu/wan, 2026-01-01T00:00:02.000Z)",
  );
  assert.equal(fact(WAITING, "next try"), "2026-01-01T00:00:07.000Z");
});

Deno.test("videoFacts() says where to look for what a server that has restarted does not know", () => {
  const forgotten = { ...WAITING, last_error: null, next_try_at: null };
  assert.match(fact(forgotten, "last error") ?? "", /see video_attempt_failed in the log$/);
  assert.equal(fact({ ...forgotten, status: "completed" }, "last error"), undefined);
  assert.equal(fact({ ...forgotten, failures: 0 }, "last error"), undefined);
  assert.equal(fact(forgotten, "next try"), undefined);
});
