import assert from "node:assert/strict";
import { logRunnerEvent, logWebhookTry } from "../../src/app/log_videos.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { createLog } from "../../src/telemetry/log.ts";
import type { RunnerEvent } from "../../src/videos/task/runner_event.ts";
import type { WebhookTry } from "../../src/videos/tell/webhook_sender.ts";
import { FakeClock } from "../support/fake_clock.ts";

const name = {
  taskId: "video_a",
  requestId: "req_a",
  provider: "acme",
  route: "acme/film",
  attempt: 2,
};
const error = new UpstreamError("broken", "answered 502");

/** What is written by `write`, each line parsed. */
async function lines(
  write: (log: ReturnType<typeof createLog>) => void,
): Promise<{ readonly text: string; readonly [field: string]: unknown }[]> {
  const decoder = new TextDecoder();
  let text = "";
  const log = createLog({
    format: "json",
    isTerminal: false,
    color: false,
    level: "debug",
    clock: new FakeClock(),
    secrets: () => ["sk-secret"],
    write: (bytes) => {
      text += decoder.decode(bytes);
      return Promise.resolve();
    },
  });
  write(log);
  await log.flush();
  return text.trim().split("\n").map((line) => ({ ...JSON.parse(line), text: line }));
}

const EVENTS: readonly (readonly [event: RunnerEvent, level: string, fields: object])[] = [
  [{ kind: "claimed", ...name }, "debug", {}],
  [{ kind: "job_started", job: "job_1", ...name }, "info", { job: "job_1" }],
  [{ kind: "unknown_status", job: "job_1", status: "baking", ...name }, "warn", {
    status: "baking",
  }],
  [{ kind: "poll_failed", inARow: 3, error, ...name }, "warn", { in_a_row: 3 }],
  [{ kind: "download_cut", bytes: 5, error, ...name }, "warn", { bytes: 5 }],
  [{ kind: "attempt_failed", failures: 1, error, ...name }, "warn", { failures: 1 }],
  [{ kind: "postponed", waitMs: 5, why: "busy", ...name }, "info", { wait_ms: 5, why: "busy" }],
  [{ kind: "rerouted", toRoute: "zeta/film", ...name }, "info", { to_route: "zeta/film" }],
  [{ kind: "rescued", why: "stuck", ...name }, "warn", { why: "stuck" }],
  [{ kind: "abandoned_worker", message: "It is silent", ...name }, "error", {}],
  [{ kind: "completed", bytes: 9, ...name }, "info", { bytes: 9 }],
  [{ kind: "failed", code: "c", isBilled: true, ...name }, "warn", { code: "c", is_billed: true }],
  [{ kind: "cancel_failed", job: "job_1", error, ...name }, "warn", { job: "job_1" }],
];

for (const [event, level, fields] of EVENTS) {
  Deno.test(`logRunnerEvent() writes video_${event.kind} at level ${level}, naming its task`, async () => {
    const [line] = await lines((log) => logRunnerEvent(log, event));
    assert.deepEqual([line!.event, line!.level], [`video_${event.kind}`, level]);
    const expected = { video_id: "video_a", request_id: "req_a", route: "acme/film", ...fields };
    for (const [field, value] of Object.entries(expected)) assert.equal(line![field], value, field);
    if ("error" in event) assert.match(String(line!.error), /answered 502/);
  });
}

Deno.test("logRunnerEvent() leaves out what an upstream quotes of the prompt", async () => {
  const prompt = "a portrait of Ada Lovelace at her desk";
  const quoting = new UpstreamError("broken", `answered 400: '${prompt}' is not allowed`);
  const [line] = await lines((log) =>
    logRunnerEvent(log, { kind: "attempt_failed", failures: 1, error: quoting, ...name }, prompt)
  );
  assert.match(String(line!.error), /answered 400: '\[quoted from the request\]' is not allowed/);
  assert.ok(!line!.text.includes("Lovelace"));
});

Deno.test("logRunnerEvent() writes trouble with its cause, and pauses without a task", async () => {
  const written = await lines((log) => {
    const trouble = new Error("Cannot store", { cause: "no space" });
    logRunnerEvent(log, { kind: "trouble", taskId: "video_a", error: trouble });
    logRunnerEvent(log, { kind: "paused", why: "disk_full" });
    logRunnerEvent(log, { kind: "paused", why: "stopping" });
  });
  assert.match(String(written[0]!.error), /Cannot store: no space/);
  assert.equal(written[1]!.why, "disk_full");
  assert.equal(written[1]!.level, "warn");
  assert.equal(written[2]!.level, "info", "an orderly stop is nothing to look at");
  assert.equal("video_id" in written[1]!, false);
});

const tried: WebhookTry = {
  outcome: "failed",
  message: {
    id: "evt_a",
    projectId: "p",
    event: "video.completed",
    videoId: "video_a",
    url: "https://hooks.example:8443/services/T000/B000/XXXX?token=secret#part",
    createdAt: 1,
    tries: 2,
    state: "waiting",
    nextAt: 5,
    lastError: "answered 500",
    roundFrom: 0,
    lastTries: [],
  },
};

for (
  const [outcome, level] of [["delivered", "info"], ["failed", "warn"], [
    "given_up",
    "warn",
  ]] as const
) {
  Deno.test(`logWebhookTry() writes webhook_${outcome} at level ${level}, and of the URL who receives it`, async () => {
    const [line] = await lines((log) => logWebhookTry(log, { ...tried, outcome }));
    assert.deepEqual([line!.event, line!.level], [`webhook_${outcome}`, level]);
    assert.deepEqual(
      [line!.webhook_id, line!.video_id, line!.receiver, line!.tries],
      ["evt_a", "video_a", "https://hooks.example:8443", 2],
    );
    const next = outcome === "failed" ? "1970-01-01T00:00:00.005Z" : undefined;
    assert.equal(line!.next_try_at, next, "said of no message that is not tried again");
    assert.doesNotMatch(line!.text, /services|T000|XXXX|secret|part/);
  });
}
