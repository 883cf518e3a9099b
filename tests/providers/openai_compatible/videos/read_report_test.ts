import assert from "node:assert/strict";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import type { VideoReport } from "../../../../src/providers/contract/video_upstream.ts";
import { readReport } from "../../../../src/providers/openai_compatible/videos/read_report.ts";

const CONCEALED = { secrets: ["upstream-key-0123456789"], host: "gpu-7.lan:8000" };

function read(body: JsonObject): VideoReport {
  const report = readReport(body, CONCEALED);
  assert.ok(report !== undefined);
  return report;
}

const WORDS: { readonly [status in VideoReport["status"]]: readonly string[] } = {
  queued: ["queued", "pending", "submitted", "PENDING", "in queue", "not-started"],
  in_progress: ["in_progress", "in-progress", "In Progress", "processing", "running"],
  completed: ["completed", "succeeded", "success", "SUCCESS", "done", " finished "],
  failed: ["failed", "error", "cancelled", "canceled", "FAILED", "timed-out"],
  lost: ["expired", "deleted"],
};

Deno.test("readReport() knows the words of all vendors, however they are written", () => {
  for (const [status, words] of Object.entries(WORDS)) {
    for (const word of words) {
      const report = read({ id: "x", status: word });
      assert.equal(report.status, status, word);
      assert.ok(!("unknownStatus" in report), word);
    }
  }
});

Deno.test("readReport() takes an unknown word for work in progress and notes it, cleaned", () => {
  assert.deepEqual(read({ status: "warming_up" }), {
    status: "in_progress",
    progress: undefined,
    error: undefined,
    unknownStatus: "warming_up",
  });
  const { unknownStatus } = read({ status: `a\r\nb 10.0.0.1 gpu-7.lan ${"x".repeat(500)}` });
  assert.match(unknownStatus!, /^a b \[address\] \[upstream\] x+$/);
  assert.ok(unknownStatus!.length <= 80);
  for (const word of ["constructor", "__proto__", "toString"]) {
    assert.equal(read({ status: word }).status, "in_progress");
  }
});

Deno.test("readReport() gives nothing when there is no status", () => {
  for (const status of [undefined, null, "", 3, {}, ["queued"]]) {
    assert.equal(readReport({ id: "x", status }, CONCEALED), undefined);
  }
});

const PROGRESS: readonly [value: unknown, progress: number | undefined][] = [
  [undefined, undefined],
  [null, undefined],
  [0, 0],
  [42, 42],
  [42.9, 42],
  [100, 100],
  [101, 100],
  [1e300, 100],
  [-5, 0],
  [Number.NaN, undefined],
  [Infinity, undefined],
  ["42", 42],
  ["42.5%", 42],
  ["100%", 100],
  ["soon", undefined],
  ["", undefined],
  [{}, undefined],
  [[1], undefined],
  [true, undefined],
];

Deno.test("readReport() clamps progress to whole per cent and takes nonsense for absent", () => {
  for (const [value, progress] of PROGRESS) {
    assert.equal(read({ status: "running", progress: value }).progress, progress, String(value));
  }
});

const FAILURES: readonly [body: JsonObject, error: VideoReport["error"]][] = [
  [{ error: { code: "bad_seed", message: "No seed" } }, { code: "bad_seed", message: "No seed" }],
  [{ error: { code: "RuntimeError", message: "CUDA out of memory" } }, {
    code: "RuntimeError",
    message: "CUDA out of memory",
  }],
  [{ error: { code: 500, message: "Boom" } }, { code: undefined, message: "Boom" }],
  [{ error: { code: "AssertionError", message: "" } }, {
    code: "AssertionError",
    message: "AssertionError",
  }],
  [{ error: "Plain words" }, { code: undefined, message: "Plain words" }],
  [{ error: null, detail: "In detail" }, { code: undefined, message: "In detail" }],
  [{ detail: ["One", "Two"] }, { code: undefined, message: "One; Two" }],
  [{ detail: [{ loc: ["body", "fps"], msg: "Too high" }] }, {
    code: undefined,
    message: "fps: Too high",
  }],
  [{ message: "At the top" }, { code: undefined, message: "At the top" }],
  [{ error: { detail: "Inside" } }, { code: undefined, message: "Inside" }],
  [{ error: { code: "two words", message: "Said" } }, { code: undefined, message: "Said" }],
  [{ error: null }, undefined],
  [{ error: {} }, undefined],
  [{}, undefined],
];

Deno.test("readReport() finds the text of a failure wherever it is", () => {
  for (const [body, error] of FAILURES) {
    assert.deepEqual(read({ status: "failed", ...body }).error, error, JSON.stringify(body));
  }
});

Deno.test("readReport() cleans the text of a failure of the upstream's internals", () => {
  const message = "Worker http://10.1.2.3:8000/x on gpu-7.lan:8000 died with key " +
    'upstream-key-0123456789\nTraceback (most recent call last):\n  File "/srv/app.py", line 3';
  const { error } = read({ status: "failed", error: { message } });
  assert.equal(error?.message, "Worker [url] on [upstream] died with key [redacted]");
  const long = read({ status: "failed", error: { message: "x".repeat(100_000) } });
  assert.equal(long.error?.message.length, 500);
});

Deno.test("readReport() shows no failure of a job that has not failed", () => {
  assert.equal(read({ status: "completed", error: { message: "Old" } }).error, undefined);
  assert.equal(read({ status: "queued", message: "Hello" }).error, undefined);
});
