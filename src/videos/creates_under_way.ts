/**
 * Creates that are not stored yet, so that a client which gave up on one and
 * sends it again gets its task and not a second one.
 *
 * @module
 */

import type { VideoTask } from "../domain/video_task.ts";

/** What makes two creates the same one. */
export interface CreateIdentity {
  readonly projectId: string;
  /** SHA-256 of the parsed request. */
  readonly fingerprint: string;
}

export class CreatesUnderWay {
  /** The newest of each identity; resolves with `undefined` when it made no task. */
  readonly #newest = new Map<string, Promise<VideoTask | undefined>>();

  /**
   * Runs a create. A retry waits for the same create if that is under way, and
   * takes its task if it made one.
   *
   * @throws Whatever `create` throws.
   */
  async run(
    { projectId, fingerprint }: CreateIdentity,
    { isRetry, create }: {
      readonly isRetry: boolean;
      readonly create: () => Promise<VideoTask>;
    },
  ): Promise<VideoTask> {
    const place = `${fingerprint} ${projectId}`;
    for (;;) {
      const earlier = isRetry ? this.#newest.get(place) : undefined;
      if (earlier === undefined) break;
      const task = await earlier;
      if (task !== undefined) return task;
    }
    const { promise, resolve } = Promise.withResolvers<VideoTask | undefined>();
    this.#newest.set(place, promise);
    let task: VideoTask | undefined;
    try {
      return task = await create();
    } finally {
      if (this.#newest.get(place) === promise) this.#newest.delete(place);
      resolve(task);
    }
  }
}
