/**
 * Ids and words of what there is, by whose they are: what requests may name, and what a member may
 * not be told.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";

/** What an id is of. */
export type AdminIdKind =
  | "key"
  | "request"
  | "video"
  | "failed_video"
  | "queued_video"
  | "batch"
  | "open_batch"
  | "file"
  | "webhook"
  | "token"
  | "job";

const MOST = 40;
/** Ids that are long enough to be found in a text by themselves. */
const ID = /^(?:key|video|batch|evt|req)_[a-z0-9]{8,}$|^file-[a-z0-9]{8,}$/;
const KIND_BY_BEGIN: readonly (readonly [begin: string, kind: AdminIdKind])[] = [
  ["key_", "key"],
  ["video_", "video"],
  ["batch_", "batch"],
  ["file-", "file"],
  ["evt_", "webhook"],
  ["req_", "request"],
  ["tok_", "token"],
  ["job_", "job"],
];

export class AdminIds {
  readonly #latest = new Map<AdminIdKind, { readonly id: string; readonly project: string }[]>();
  /** What only one project may be told, by that project. */
  readonly #own = new Map<string, Set<string>>();

  /** Ids that no request is to name. */
  readonly #spared = new Set<string>();

  spare(id: string): void {
    this.#spared.add(id);
  }

  /** Words that only their project may see. */
  mark(project: string, words: string): void {
    this.#own.set(project, (this.#own.get(project) ?? new Set()).add(words));
  }

  keep(project: string, kind: AdminIdKind, ids: readonly string[]): void {
    const known = this.#latest.get(kind) ?? [];
    this.#latest.set(kind, known);
    for (const id of ids) {
      if (ID.test(id)) this.mark(project, id);
      if (known.every((one) => one.id !== id)) known.push({ id, project });
    }
    known.splice(0, known.length - MOST);
  }

  /** Notes the things in an answer, each with the project that it says to be of. */
  learn(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const inner of Object.values(value)) this.learn(inner);
    const { id, project } = value as { readonly id?: unknown; readonly project?: unknown };
    if (typeof id !== "string") return;
    const [, kind] = KIND_BY_BEGIN.find(([begin]) => id.startsWith(begin)) ?? [];
    if (kind !== undefined && !this.#spared.has(id)) {
      this.keep(typeof project === "string" ? project : "", kind, [id]);
    }
  }

  /** Notes that a thing is gone; what it was called is nobody else's all the same. */
  forget(id: string): void {
    for (const known of this.#latest.values()) {
      const at = known.findIndex((one) => one.id === id);
      if (at >= 0) known.splice(at, 1);
    }
  }

  /** Some id, of whichever project; one that is not there where none is. */
  pick(kind: AdminIdKind, random: SeededRandom): string {
    const known = this.#latest.get(kind) ?? [];
    return known.length === 0 ? `${kind}_0000000000000000` : random.pick(known).id;
  }

  /** Whether anything of the kind is known, of a project where one is named. */
  has(kind: AdminIdKind, project?: string): boolean {
    return (this.#latest.get(kind) ?? []).some((one) => (project ?? one.project) === one.project);
  }

  /** The last id of a project; of none: `""`. */
  last(project: string, kind: AdminIdKind): string {
    return this.#latest.get(kind)!.findLast((one) => one.project === project)!.id;
  }

  /** What is of projects other than this one. */
  *strangers(project: string): Iterable<string> {
    for (const [whose, words] of this.#own) {
      if (whose !== project && whose !== "") yield* words;
    }
  }
}
