/**
 * What a node does with what others have left that have ended: it closes their calls and answers, and
 * makes their films. All of it may be done again.
 *
 * @module
 */

import type { Ledger } from "../accounts/ledger.ts";
import { reapAnswers } from "../gateway/responses/fail_unfinished.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Left } from "../storage/ports/nodes.ts";
import type { CallStore, ResponseStore } from "../storage/ports/storage.ts";
import type { TaskBook } from "../videos/task/task_book.ts";
import { reapCalls } from "./reap.ts";

/** What it is done with. */
export interface LeftOptions {
  readonly storage: {
    readonly calls: Pick<CallStore, "abandonedCalls">;
    readonly responses: Pick<ResponseStore, "unfinished">;
  };
  readonly ledger: Pick<Ledger, "reap">;
  readonly commits: CommitQueue;
  readonly book: Pick<TaskBook, "adopt">;
  /** Hears why it could not be done; it is tried again. */
  readonly onTrouble: (message: string, callId: number) => void;
}

/** Goes on with what is left, one at a time: what has come to no end is told again, or remembered. */
export class LeftWork {
  readonly #options: LeftOptions;
  #hasFilms = false;
  #isBusy = false;

  constructor(options: LeftOptions) {
    this.#options = options;
  }

  /** Resolves when it is done, or is to be done later. */
  async goOn({ sessions, hasFilms }: Left): Promise<void> {
    this.#hasFilms ||= hasFilms;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#adoptFilms();
      for (const session of sessions) await this.#reap(session);
    } catch (error) {
      const { onTrouble } = this.#options;
      onTrouble(`Cannot go on yet with what another node has left: ${String(error)}`, 0);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Those that come meanwhile too. */
  async #adoptFilms(): Promise<void> {
    while (this.#hasFilms) {
      this.#hasFilms = false;
      try {
        await this.#options.book.adopt();
      } catch (error) {
        this.#hasFilms = true;
        throw error;
      }
    }
  }

  async #reap(session: number): Promise<void> {
    const { storage: { calls, responses }, ledger, commits } = this.#options;
    await reapCalls(session, { calls, ledger });
    await reapAnswers(session, { responses, commits });
  }
}
