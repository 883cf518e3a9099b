import assert from "node:assert/strict";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { LastFailures } from "../../../src/videos/tell/last_failures.ts";
import type { AttemptName } from "../../../src/videos/task/runner_event.ts";

const NAME: AttemptName = {
  taskId: "video_a",
  requestId: "req_a",
  provider: "acme",
  route: "acme/film",
  attempt: 1,
};

function broken(message: string, cause?: unknown): UpstreamError {
  return new UpstreamError("broken", message, { cause });
}

Deno.test("note() keeps the last failure of a task with the system's words, in one line", () => {
  const failures = new LastFailures();
  assert.equal(failures.of("video_a"), undefined);
  const cut = broken("The upstream broke off");
  failures.note({ kind: "download_cut", bytes: 5, error: cut, ...NAME }, 1);
  const refused = broken("The upstream could not be reached", new Error("Connection refused"));
  failures.note({ kind: "attempt_failed", failures: 1, error: refused, ...NAME }, 2);
  failures.note({ kind: "claimed", ...NAME }, 3);
  assert.deepEqual(failures.of("video_a"), {
    at: 2,
    route: "acme/film",
    message: "The upstream could not be reached: Connection refused",
  });
  const crashed = broken("Ended: Error: x\n    at befall", "Error: x\n    at befall");
  failures.note({ kind: "attempt_failed", failures: 2, error: crashed, ...NAME }, 4);
  assert.equal(failures.of("video_a")?.message, "Ended: Error: x");
});

Deno.test("note() forgets a completed task, and the oldest of more than a thousand", () => {
  const failures = new LastFailures();
  const error = broken("The upstream answered 500");
  const fail = (taskId: string) =>
    failures.note({ kind: "attempt_failed", failures: 1, error, ...NAME, taskId }, 1);
  fail("video_a");
  failures.note({ kind: "completed", bytes: 5, ...NAME }, 2);
  assert.equal(failures.of("video_a"), undefined);
  for (let index = 0; index < 1_000; index++) fail(`video_${index}`);
  fail("video_0");
  fail("video_new");
  assert.notEqual(failures.of("video_0"), undefined);
  assert.equal(failures.of("video_1"), undefined);
  // A failed task keeps it: that is when its operator looks.
  failures.note({ kind: "failed", code: "x", isBilled: false, ...NAME, taskId: "video_0" }, 3);
  assert.notEqual(failures.of("video_0"), undefined);
});
