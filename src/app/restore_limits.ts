/**
 * Limits go on where they were, so that a restart is no way around them.
 *
 * @module
 */

import type { KeyDirectory } from "../accounts/key_directory.ts";
import type { Snapshot } from "../catalog/snapshot.ts";
import { capabilityOf } from "../domain/capabilities.ts";
import type { OpenCall, StoredCall } from "../domain/call.ts";
import { completionTokens, promptTokens } from "../domain/work.ts";
import type { PastCalls } from "../limits/gauge_book.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { RouteCapacity } from "../limits/route_capacity.ts";
import type { CallStore } from "../storage/ports/storage.ts";

/** What the counts are rebuilt from, and where they go. */
export interface RestoreLimitsDeps {
  readonly calls: Pick<CallStore, "closedSince">;
  readonly directory: Pick<KeyDirectory, "project" | "key">;
  readonly catalogue: Pick<Snapshot, "route">;
  readonly limiter: Pick<Limiter, "restore">;
  readonly capacity: Pick<RouteCapacity, "restore">;
}

/** Calls of the last minute that count; the newest do. */
const RESTORED_CALLS = 100_000;
const LIMIT_WINDOW_MS = 60_000;

/**
 * Counts the calls of the last minute, those among them that the last process left
 * open: closed ones with their tokens, `open` ones (films, which are gone on with) as
 * requests. Of a call that was tried on several routes only the last one is known.
 *
 * @param nowMs Milliseconds since the epoch.
 */
export async function restoreLimits(
  deps: RestoreLimitsDeps,
  { open, nowMs }: { readonly open: Iterable<OpenCall>; readonly nowMs: number },
): Promise<void> {
  const since = nowMs - LIMIT_WINDOW_MS;
  for (const call of await deps.calls.closedSince(since, RESTORED_CALLS)) count(deps, call);
  for (const call of open) {
    if (call.openedAt > since) count(deps, { ...call, state: "open" });
  }
}

function count(deps: RestoreLimitsDeps, call: StoredCall): void {
  const { directory, catalogue, limiter, capacity } = deps;
  const past: PastCalls = { requests: 1, tokens: tokensOf(call), at: call.openedAt };
  const project = directory.project(call.projectId);
  const key = directory.key(call.keyId);
  const route = catalogue.route(call.route);
  if (project !== undefined) {
    limiter.restore({ scope: "project", id: project.id, limits: project.limits }, past);
  }
  if (key !== undefined) limiter.restore({ scope: "key", id: key.id, limits: key.limits }, past);
  // What is queued begins at its route when its turn comes, which may not have been yet.
  if (route !== undefined && !capabilityOf(call.capability).isQueued) {
    capacity.restore(route, past);
  }
}

function tokensOf(call: StoredCall): number {
  if (call.state === "open") return 0;
  return promptTokens(call.work) + completionTokens(call.work);
}
