/**
 * What happens to video tasks, as lines of the log.
 *
 * @module
 */

import { hideQuotes } from "../domain/hide_quotes.ts";
import type { Log, LogFields, LogLevel } from "../telemetry/log.ts";
import type { RunnerEvent } from "../videos/task/runner_event.ts";
import type { WebhookTry } from "../videos/tell/webhook_sender.ts";

/** What the operator has to look at; everything else is the way of things. */
const LEVELS: { readonly [kind in RunnerEvent["kind"]]: LogLevel } = {
  claimed: "debug",
  job_started: "info",
  unknown_status: "warn",
  poll_failed: "warn",
  download_cut: "warn",
  attempt_failed: "warn",
  postponed: "info",
  rerouted: "info",
  rescued: "warn",
  abandoned_worker: "error",
  completed: "info",
  failed: "warn",
  cancel_failed: "warn",
  paused: "warn",
  resumed: "info",
  trouble: "error",
};

/**
 * Writes an event as `video_<kind>`, with the facts it has. What an upstream quotes of the task's
 * `prompt`, if it is known, is left out.
 */
export function logRunnerEvent(log: Log, event: RunnerEvent, prompt?: string): void {
  const { kind, ...facts } = event;
  const fields = Object.entries(facts).map(([name, value]) => [
    FIELD_NAMES[name] ?? snakeCase(name),
    typeof value === "object" && value !== null ? hideQuotes(describe(value), prompt) : value,
  ]);
  // Every stop pauses the films: that calls for nobody.
  const level = event.kind === "paused" && event.why === "stopping" ? "info" : LEVELS[kind];
  log[level](`video_${kind}`, Object.fromEntries(fields) as LogFields);
}

/** Writes what became of a webhook's try. Of its URL only who it went to: what follows is often a secret. */
export function logWebhookTry(log: Log, { message, outcome }: WebhookTry): void {
  log[outcome === "delivered" ? "info" : "warn"](`webhook_${outcome}`, {
    webhook_id: message.id,
    project: message.projectId,
    video_id: message.videoId,
    // Not `event`: that is the name of the line itself.
    type: message.event,
    receiver: new URL(message.url).origin,
    tries: message.tries,
    next_try_at: outcome === "failed" ? new Date(message.nextAt).toISOString() : undefined,
    error: message.lastError,
  });
}

const FIELD_NAMES: { readonly [name: string]: string | undefined } = { taskId: "video_id" };

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function describe(value: object): string {
  const { cause } = value as { readonly cause?: unknown };
  return cause === undefined ? String(value) : `${value}: ${cause}`;
}
