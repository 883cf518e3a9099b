/**
 * Notes requests that were refused before they became calls, so that operators see who was throttled
 * and why. What is noted waits in memory and is written a few at a time: nobody waits for it, a storm
 * of refusals costs the writer no more than a bound, and each project has its own room. What a crash
 * takes with it is the last seconds.
 *
 * @module
 */

import { hourOf } from "../domain/budgets.ts";
import {
  MOST_KEPT_REFUSED,
  type RefusalSum,
  type RefusedRequest,
} from "../domain/refused_request.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";

/** What a book works with. */
export interface RefusalBookOptions {
  readonly commits: Pick<CommitQueue, "commit">;
  readonly now: () => number;
  /** Calls back once, some time later, and gives what calls that off. */
  readonly later: (run: () => void, ms: number) => () => void;
}

/** A refused request as it is noted: its model as the caller named it, and as the catalogue has it. */
export interface Refused extends Omit<RefusedRequest, "at"> {
  /** A model of the catalogue; empty for none. */
  readonly knownModel: string;
}

/** How long refusals wait to be written. */
const WRITE_AFTER_MS = 5_000;
/** Sums of one project that wait, beyond which they are counted by their reason alone. */
const MOST_WAITING_SUMS = 50;
/** Requests in one writing, of all projects; each has an equal share of it, but one at least. */
const MOST_REQUESTS = 600;
/** Sums and requests in one entry, about: a millisecond or two of the writer. */
const MOST_OF_ENTRY = 200;
/** Entries in one writing; the projects behind them wait for the next. */
const MOST_ENTRIES = 20;

/** What waits of one project. */
interface Waiting {
  readonly sums: Map<string, RefusalSum>;
  /** The last ones, oldest first. */
  requests: RefusedRequest[];
}

export class RefusalBook {
  readonly #options: RefusalBookOptions;
  #waiting = new Map<string, Waiting>();
  #callOff: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RefusalBookOptions) {
    this.#options = options;
  }

  /** Notes a refused request; waits for nothing. */
  note({ knownModel, ...refused }: Refused): void {
    const at = this.#options.now();
    const { projectId } = refused;
    let waiting = this.#waiting.get(projectId);
    if (waiting === undefined) {
      this.#waiting.set(projectId, waiting = { sums: new Map(), requests: [] });
    }
    const { keyId, reason, why } = refused;
    const sum = { projectId, keyId, model: knownModel, reason, why, refusals: 1, lastAt: at };
    addTo(waiting.sums, { ...sum, hour: hourOf(at) });
    waiting.requests.push({ ...refused, at });
    // Not for each: moving a few hundred on is dearer than keeping them for a while.
    if (waiting.requests.length >= 2 * MOST_KEPT_REFUSED) {
      waiting.requests = waiting.requests.slice(-MOST_KEPT_REFUSED);
    }
    this.#writeLater();
  }

  /**
   * Writes what waits, as far as one writing goes; resolves when that is on disk, or could not be
   * written and waits on.
   */
  flush(): Promise<void> {
    // What is being written may have been taken before what waits now.
    return this.#writing === undefined ? this.#begin() : this.#writing.then(() => this.#begin());
  }

  /** Writes what waits and notes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff?.();
    await this.flush();
  }

  #begin(): Promise<void> {
    return this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.size > 0) this.#writeLater();
    });
  }

  #writeLater(): void {
    if (this.#isClosed) return;
    this.#callOff ??= this.#options.later(() => {
      this.#callOff = undefined;
      this.flush();
    }, WRITE_AFTER_MS);
  }

  async #write(): Promise<void> {
    const share = Math.max(1, Math.floor(MOST_REQUESTS / Math.max(1, this.#waiting.size)));
    for (let entries = 0; entries < MOST_ENTRIES && this.#waiting.size > 0; entries++) {
      const taken = this.#take(share);
      const result = await this.#options.commits.commit({
        kind: "note_refusals",
        sums: [...taken.values()].flatMap(({ sums }) => [...sums.values()]),
        requests: [...taken.values()].flatMap(({ requests }) => requests)
          .sort((one, other) => one.callId - other.callId),
        at: this.#options.now(),
      });
      if (!result.ok) return this.#putBack(taken);
    }
  }

  /** What waits of the next projects, the last requests of each. */
  #take(share: number): Map<string, Waiting> {
    const taken = new Map<string, Waiting>();
    let size = 0;
    for (const [projectId, { sums, requests }] of this.#waiting) {
      if (size >= MOST_OF_ENTRY) break;
      const some = requests.slice(-Math.min(share, MOST_KEPT_REFUSED));
      taken.set(projectId, { sums, requests: some });
      size += sums.size + some.length;
      this.#waiting.delete(projectId);
    }
    return taken;
  }

  /** Of what could not be written, such as to a full disk: it waits with what has come since. */
  #putBack(taken: ReadonlyMap<string, Waiting>): void {
    for (const [projectId, { sums, requests }] of taken) {
      const since = this.#waiting.get(projectId);
      for (const sum of since?.sums.values() ?? []) addTo(sums, sum);
      const all = [...requests, ...since?.requests ?? []].slice(-MOST_KEPT_REFUSED);
      this.#waiting.set(projectId, { sums, requests: all });
    }
  }
}

/** Adds to the sum of its kind; one sum too many is counted by its reason alone. */
function addTo(sums: Map<string, RefusalSum>, sum: RefusalSum): void {
  const { hour, keyId, model, reason, why } = sum;
  const key = `${hour}\0${keyId}\0${model}\0${reason}\0${why}`;
  const known = sums.get(key);
  if (known !== undefined) {
    const lastAt = Math.max(known.lastAt, sum.lastAt);
    sums.set(key, { ...known, refusals: known.refusals + sum.refusals, lastAt });
    return;
  }
  const isPlain = keyId === "" && model === "" && why === "";
  if (sums.size >= MOST_WAITING_SUMS && !isPlain) {
    return addTo(sums, { ...sum, keyId: "", model: "", why: "" });
  }
  sums.set(key, sum);
}
