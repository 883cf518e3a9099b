/**
 * What the steps of an upstream's attempt share: whom they ask, what they ask
 * with, and how an upstream's error ends an attempt.
 *
 * @module
 */

import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { Clock } from "../../domain/clock.ts";
import type { UpstreamJob } from "../../domain/video_task.ts";
import type { RouteCapacity } from "../../limits/route_capacity.ts";
import type { VideoUpstream } from "../../providers/contract/video_upstream.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Registry } from "../../providers/registry.ts";
import type { Health } from "../../routing/health.ts";
import type { ContentFiles } from "../files/content_files.ts";
import type { FilmStore } from "../files/film_store.ts";
import type { JobCanceller } from "./job_canceller.ts";
import type { PausedDownloads } from "./paused_downloads.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";

/** What upstream attempts work with. */
export interface UpstreamExecutorOptions {
  readonly registry: Pick<Registry, "provider">;
  readonly catalogue: CatalogueHolder;
  readonly health: Health;
  readonly capacity: RouteCapacity;
  readonly files: ContentFiles;
  readonly films: Pick<FilmStore, "readReference">;
  readonly canceller: JobCanceller;
  /** Whether films may write at all: looked at again while one is downloaded. */
  readonly hasRoom: () => boolean;
  readonly clock: Clock;
  /** Waits; resolves early when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: OnRunnerEvent;
}

/** What the steps share of all attempts. */
export interface UpstreamWork extends UpstreamExecutorOptions {
  readonly paused: PausedDownloads;
}

/** A job and whom to ask after it. */
export interface JobAtUpstream {
  readonly upstream: VideoUpstream;
  readonly job: UpstreamJob;
}

/** What a provider threw; a fault of its own counts as its upstream's breakage. */
export function asUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError("broken", "The provider failed unexpectedly", { cause: error });
}

/** Waits that grow with each failure in a row: 1, 2, 4 and then 5 seconds. */
export function backoffMs(failuresInARow: number): number {
  return Math.min(5_000, 1_000 * 2 ** Math.max(0, failuresInARow - 1));
}
