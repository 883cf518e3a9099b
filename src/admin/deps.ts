/**
 * What administrative operations work on: the live state of this process.
 *
 * @module
 */

import type { KeyDirectory } from "../accounts/key_directory.ts";
import type { Ledger } from "../accounts/ledger.ts";
import type { CatalogueHolder } from "../catalog/snapshot.ts";
import type { Clock } from "../domain/clock.ts";
import type { Random } from "../domain/clock.ts";
import type { VideoTask } from "../domain/video_task.ts";
import type { Registry } from "../providers/registry.ts";
import type { CapacityView, HealthView } from "../routing/route_request.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Storage, VideoQuery } from "../storage/ports/storage.ts";

/** What went wrong with a task, in an operator's words. */
export interface TaskFailureView {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly route: string;
  readonly message: string;
}

/** The owner of video tasks, as far as administration needs it. */
export interface AdminVideos {
  list(query: VideoQuery): Promise<readonly VideoTask[]>;
  /** `undefined` when there is none of this id. */
  find(taskId: string): VideoTask | undefined | Promise<VideoTask | undefined>;
  /**
   * Deletes a task, whatever its state.
   *
   * @throws {GatewayError} `storage_full`
   */
  remove(taskId: string): Promise<"deleted" | "missing">;
  /** What went wrong last with a task, since this process began; `undefined` for nothing. */
  lastFailure(taskId: string): TaskFailureView | undefined;
  /** Where a task's film is, if it has one. */
  filmPath(taskId: string): string;
}

/** Handed to every operation by the composition root. */
export interface AdminDeps {
  readonly storage: Storage;
  readonly commits: CommitQueue;
  readonly ledger: Ledger;
  readonly directory: KeyDirectory;
  readonly catalogue: CatalogueHolder;
  readonly registry: Registry;
  readonly health: HealthView;
  readonly capacity: CapacityView;
  readonly videos: AdminVideos;
  readonly clock: Clock;
  readonly random: Random;
  /** The file given by `serve --catalog`, which then owns the catalogue; `undefined` otherwise. */
  readonly catalogueOwner: string | undefined;
  /** `server` when a gateway is listening in this process. */
  readonly process: { readonly kind: "server" | "cli"; readonly pid: number };
}
