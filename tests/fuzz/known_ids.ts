/**
 * Ids that the program has given out, so that requests can name what exists.
 *
 * @module
 */

import type { SeededRandom } from "../support/seeded_random.ts";

const MOST = 40;
const KINDS = {
  video: /\bvideo_[a-z0-9]{8,}/g,
  resp: /\bresp_[a-z0-9]{8,}/g,
  batch: /\bbatch_[a-z2-7]{26}\b/g,
  file: /\bfile-[a-z0-9]{8,}/g,
} as const;

/** What an id is of; a job is an answer that was made in the background. */
export type IdKind = keyof typeof KINDS | "req" | "job";

/** The latest ids of each kind. */
export class KnownIds {
  readonly #latest: Record<IdKind, string[]> = {
    video: [],
    resp: [],
    file: [],
    batch: [],
    req: [],
    job: [],
  };
  /** Those that no request deletes, so that there is always something to look at. */
  readonly #kept = new Set<string>();

  /** Notes an id for good. */
  keep(kind: IdKind, id: string): void {
    this.#kept.add(id);
    this.#latest[kind].unshift(id);
  }

  /** Notes the ids in an answer. */
  learn(requestId: string | undefined, body: string): void {
    if (requestId !== undefined) this.#add("req", requestId);
    for (const [kind, pattern] of Object.entries(KINDS) as [keyof typeof KINDS, RegExp][]) {
      for (const [id] of body.slice(0, 4_000).matchAll(pattern)) this.#add(kind, id);
    }
  }

  /** Some id; one that is not there when none is known. */
  pick(kind: IdKind, random: SeededRandom, { toDelete = false } = {}): string {
    const wantsKept = !toDelete && random.chance(0.4);
    const passing = this.#latest[kind].filter((id) => !this.#kept.has(id));
    if (!toDelete && (wantsKept || passing.length === 0)) return this.kept(kind);
    return passing.length === 0
      ? `${kind}${kind === "file" ? "-" : "_"}0000000000000000`
      : random.pick(passing);
  }

  /** The id that is there from the first case to the last. */
  kept(kind: IdKind): string {
    return this.#latest[kind].find((id) => this.#kept.has(id))!;
  }

  /** The oldest id that nobody keeps; nobody else gets it any more. */
  take(kind: IdKind): string {
    const at = this.#latest[kind].findIndex((id) => !this.#kept.has(id));
    return this.#latest[kind].splice(at, 1)[0]!;
  }

  #add(kind: IdKind, id: string): void {
    const ids = this.#latest[kind];
    if (ids.includes(id)) return;
    ids.push(id);
    if (ids.length <= MOST) return;
    ids.splice(ids.findIndex((one) => !this.#kept.has(one)), 1);
  }
}
