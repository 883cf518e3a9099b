/**
 * The pauses of the video queue that are in force.
 *
 * @module
 */

import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import { pausedPartWords, type VideoPause } from "../../domain/video_pause.ts";

/** What they are found by. */
export interface QueuePausesOptions {
  readonly catalogue: Pick<CatalogueHolder, "current">;
  /** As stored. */
  readonly pauses: readonly VideoPause[];
}

export class QueuePauses {
  readonly #catalogue: Pick<CatalogueHolder, "current">;
  readonly #listeners = new Set<() => void>();
  #pauses: ReadonlyMap<string, VideoPause> = new Map();

  constructor({ catalogue, pauses }: QueuePausesOptions) {
    this.#catalogue = catalogue;
    this.#pauses = byPart(pauses);
  }

  /** All of them, in the order in which they were made. */
  get list(): readonly VideoPause[] {
    return [...this.#pauses.values()];
  }

  /** Why nothing begins on a route, the widest pause first; `undefined` where films do. */
  of(routeId: string): VideoPause | undefined {
    const pauses = this.#pauses;
    if (pauses.size === 0) return undefined;
    const modelId = this.#catalogue.current.route(routeId)?.modelId;
    return pauses.get("queue") ??
      (modelId === undefined
        ? undefined
        : pauses.get(pausedPartWords({ part: "model", id: modelId }))) ??
      pauses.get(pausedPartWords({ part: "route", id: routeId }));
  }

  /** What is stored now. */
  replace(pauses: readonly VideoPause[]): void {
    this.#pauses = byPart(pauses);
    for (const listener of this.#listeners) listener();
  }

  /** Hears of every change until the function it gives is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function byPart(pauses: readonly VideoPause[]): ReadonlyMap<string, VideoPause> {
  return new Map(pauses.map((pause) => [pausedPartWords(pause), pause]));
}
