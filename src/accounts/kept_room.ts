/**
 * The room that projects have for what is kept of theirs: answers of the Responses
 * API and answers for repeated requests. Decided in memory, in one step, over the
 * sums that storage keeps.
 *
 * A project that has used up its own makes room by losing its oldest answers of
 * the Responses API, never by another project's. What a repeated request gets is
 * never lost before its time: the request would be made, and paid for, again.
 *
 * @module
 */

import type { DatedBytes, KeptBytes, KeptState, NoRoom } from "../domain/kept_bytes.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { EntryResult } from "../storage/ports/entry.ts";
import { DiskLooks } from "./disk_looks.ts";
import { KeptCommits, type KeptPart } from "./kept_commits.ts";
import { YoungBytes } from "./young_bytes.ts";

/** What decisions depend on. */
export interface KeptRoomOptions {
  readonly commits: CommitQueue;
  /** What is kept already. */
  readonly state: KeptState;
  /** What of it was created at `now() - SPARED_MS` or later. */
  readonly young: readonly DatedBytes[];
  /** Bytes that a project may keep. */
  readonly quotaBytes: number;
  /** The same of a project that has a quota of its own. */
  readonly ownQuotaOf: (projectId: string) => number | undefined;
  /** Bytes that may be written on the disk before the ledger's part of it begins. */
  readonly freeBytes: () => number;
  readonly now: () => number;
  /**
   * Told when a project's answers begin not to be kept, and every five minutes in which that
   * happens again; with a cause where the disk cannot be looked at, which counts as a full one.
   */
  readonly onFull: (projectId: string, why: NoRoom, cause?: unknown) => void;
}

/** Room that is promised to what is still to be made. */
export interface RoomPromise {
  /** Bytes that are not spent yet. */
  readonly left: number;
  /** Takes bytes out of it, no more than are left, for what is given to the writer in this turn. */
  spend(bytes: number): void;
  /** Gives back what is left; safe to call more than once. */
  end(): void;
}

/** What one project keeps, and is about to. */
interface Account {
  kept: KeptBytes;
  /** Given to the writer, and not counted in `kept` yet. */
  pendingBytes: number;
  /** Granted in this turn of the event loop, and not given to the writer yet. */
  grantedBytes: number;
  /** Left of what is promised. */
  promisedBytes: number;
  readonly young: YoungBytes;
  /** The fewest bytes that had no room since as many had; 0 for none. */
  refusedBytes: number;
  /** When that was told last. */
  toldAt: number;
}

/** Answers are not lost before this age, so that a conversation can go on from its last one. */
export const SPARED_MS = 300_000;
/** That answers have no room is told again after this. */
const REMINDED_MS = 300_000;
/** What is made free beyond what is needed, as a share of the quota: not every answer costs a search. */
const SLACK_SHARE = 1 / 64;

export class KeptRoom {
  /** The queue for everything that changes what is kept: it counts on the way. */
  readonly commits: CommitQueue;
  readonly #options: KeptRoomOptions;
  readonly #accounts = new Map<string, Account>();
  readonly #disk: DiskLooks;
  /** Bytes that the disk had no room for when they were asked for last; 0 for none. */
  #refusedBytes = 0;

  constructor(options: KeptRoomOptions) {
    this.#options = options;
    this.#disk = new DiskLooks(options);
    this.commits = new KeptCommits(options.commits, {
      onGiven: (part) => this.#onGiven(part),
      onDone: (part, isWritten) => this.#onDone(part, isWritten),
      onChanged: (state) => this.#note(state),
    });
    this.#note(options.state);
    for (const { projectId, createdAt, bytes } of options.young) {
      this.#account(projectId).young.add(createdAt, bytes);
    }
  }

  /** Bytes that a project keeps at most. */
  mostBytesOf(projectId: string): number {
    const { ownQuotaOf, quotaBytes } = this.#options;
    return ownQuotaOf(projectId) ?? quotaBytes;
  }

  /** Whether answers are not kept now, as the disk has nothing left but the ledger's part. */
  get isDiskFull(): boolean {
    if (this.#refusedBytes > 0 && this.#disk.hasRoomFor(this.#refusedBytes)) this.#refusedBytes = 0;
    return this.#refusedBytes > 0;
  }

  /** Why the disk could not be looked at last, which counts as full; `undefined` when it could. */
  get diskFault(): unknown {
    return this.#disk.fault;
  }

  /** Bytes that a project keeps now, with what is about to be written. */
  bytesOf(projectId: string): number {
    return totalOf(this.#account(projectId));
  }

  /**
   * Takes room for so much more of a project: it is to be given to {@linkcode commits} in
   * this turn of the event loop.
   *
   * @returns Why there is none; `undefined` when it was taken.
   */
  take(projectId: string, bytes: number): NoRoom | undefined {
    const refusal = this.#make(projectId, bytes);
    if (refusal === undefined) grant(this.#account(projectId), bytes);
    return refusal;
  }

  /** Whether the disk has room for so much that is no part of what projects keep. */
  hasDiskFor(bytes: number): boolean {
    return this.#disk.hasRoomFor(bytes);
  }

  /**
   * Promises a project room for so much more, until that is spent or given back: nobody
   * else gets it meanwhile.
   *
   * @returns Why there is none, where there is none.
   */
  promise(projectId: string, bytes: number): RoomPromise | NoRoom {
    const refusal = this.#make(projectId, bytes);
    if (refusal !== undefined) return refusal;
    const account = this.#account(projectId);
    let left = 0;
    const move = (more: number): void => {
      left += more;
      account.promisedBytes += more;
      this.#disk.pendingBytes += more;
    };
    move(bytes);
    return {
      get left() {
        return left;
      },
      spend(spent) {
        move(-spent);
        grant(account, spent);
      },
      end: () => move(-left),
    };
  }

  /** Makes room for so much more, if it can be made. */
  #make(projectId: string, bytes: number): NoRoom | undefined {
    const account = this.#account(projectId);
    const total = totalOf(account);
    const quotaBytes = this.mostBytesOf(projectId);
    const hasDisk = this.#disk.hasRoomFor(bytes);
    // Without room on the disk the project lives on what it gives up itself.
    const most = hasDisk ? quotaBytes : Math.min(quotaBytes, total);
    const excess = total + bytes - most;
    const fits = excess <= 0 || excess <= this.#evictable(account);
    const refusal = fits ? undefined : hasDisk ? "quota" : "disk";
    if (refusal !== undefined) {
      const { now, onFull } = this.#options;
      if (account.refusedBytes === 0 || now() >= account.toldAt + REMINDED_MS) {
        account.toldAt = now();
        if (refusal === "disk") onFull(projectId, refusal, this.#disk.fault);
        else onFull(projectId, refusal);
      }
      account.refusedBytes = Math.min(account.refusedBytes || Infinity, bytes);
      if (refusal === "disk") this.#refusedBytes = bytes;
      return refusal;
    }
    // That a smaller one has room is no end of it: large and small ones in turn would be told each time.
    if (bytes >= account.refusedBytes) account.refusedBytes = 0;
    // What is promised is neither in storage yet nor on its way there.
    if (excess > 0) void this.#evict(projectId, most - bytes - account.promisedBytes);
    if (hasDisk) this.#disk.grant(bytes);
    return undefined;
  }

  async #evict(projectId: string, mostBytes: number): Promise<void> {
    const quotaBytes = this.mostBytesOf(projectId);
    const order = {
      kind: "evict_responses",
      projectId,
      mostBytes: Math.max(0, Math.floor(mostBytes - quotaBytes * SLACK_SHARE)),
      createdBefore: this.#options.now() - SPARED_MS,
    } as const;
    let result: EntryResult;
    do result = await this.commits.commit(order); while (result.ok && result.hasMore === true);
  }

  /** Bytes of answers that have ended and are old enough. */
  #evictable({ kept, young }: Account): number {
    const now = this.#options.now();
    return Math.max(0, kept.responses - kept.unfinished - young.since(now - SPARED_MS));
  }

  #onGiven(part: KeptPart): void {
    const account = this.#account(part.projectId);
    const bytes = bytesOfPart(part);
    account.grantedBytes = Math.max(0, account.grantedBytes - bytes);
    account.pendingBytes += bytes;
    this.#disk.pendingBytes += bytes;
  }

  #onDone(part: KeptPart, isWritten: boolean): void {
    const { response, responseBytes } = part;
    const account = this.#account(part.projectId);
    account.pendingBytes -= bytesOfPart(part);
    this.#disk.pendingBytes -= bytesOfPart(part);
    if (isWritten && response !== undefined) account.young.add(response.createdAt, responseBytes);
  }

  #note({ projects, reusableBytes }: KeptState): void {
    for (const kept of projects) this.#account(kept.projectId).kept = kept;
    this.#disk.reusableBytes = reusableBytes;
  }

  #account(projectId: string): Account {
    let account = this.#accounts.get(projectId);
    if (account === undefined) {
      account = {
        kept: { projectId, answers: 0, responses: 0, unfinished: 0 },
        pendingBytes: 0,
        grantedBytes: 0,
        promisedBytes: 0,
        young: new YoungBytes(),
        refusedBytes: 0,
        toldAt: 0,
      };
      this.#accounts.set(projectId, account);
    }
    return account;
  }
}

function totalOf({ kept, pendingBytes, grantedBytes, promisedBytes }: Account): number {
  return kept.answers + kept.responses + pendingBytes + grantedBytes + promisedBytes;
}

/** Counts what is to be given to the writer in this turn. */
function grant(account: Account, bytes: number): void {
  account.grantedBytes += bytes;
  // What is given to the writer is counted there by then, and the rest is given up.
  queueMicrotask(() => account.grantedBytes = 0);
}

function bytesOfPart({ responseBytes, answerBytes }: KeptPart): number {
  return responseBytes + answerBytes;
}
