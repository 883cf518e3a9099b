/**
 * What a node does for balances that it shares with others: it gives back what it does not need, and
 * goes on with what a node has left whose session has ended.
 *
 * @module
 */

import type { Ledger } from "../accounts/ledger.ts";
import type { Batches } from "../batches/batches.ts";
import { oneLook } from "../domain/one_look.ts";
import type { SessionId } from "../domain/session.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Nodes } from "../storage/ports/nodes.ts";
import type { Storage } from "../storage/ports/storage.ts";
import type { TaskBook } from "../videos/task/task_book.ts";
import { LeftWork } from "./go_on_with_left.ts";

/** What is shared, and what others leave behind. */
export interface SharedBalances {
  readonly nodes: Nodes;
  readonly ledger: Ledger;
  readonly storage: Pick<Storage, "calls" | "responses">;
  readonly commits: CommitQueue;
  readonly book: TaskBook;
  readonly batches: Pick<Batches, "goOn" | "hearCancels">;
  readonly onTrouble: (message: string, callId: number) => void;
  /** Hears why batches could not be gone on with; it is tried again. */
  readonly onBatchTrouble?: ((error: unknown) => void) | undefined;
  /** Hears of sessions that have ended by their silence. */
  readonly onEnded?: ((sessions: readonly SessionId[]) => void) | undefined;
}

const LOOK_MS = 1_000;
/** Looks from one reading of all balances, for figures that nobody has asked for, to the next. */
const LOOKS_PER_READING = 10;
/** Likewise for batches that nobody works on. */
const LOOKS_PER_BATCHES = 5;

/** Begins; the function it gives ends it. */
export function shareBalances(shared: SharedBalances): () => void {
  const { nodes, ledger, batches } = shared;
  const { allowances } = ledger;
  let looks = 0;
  const read = () => {
    // Whoever asks for a balance has it read then; these are shown as of late.
    void ledger.refresh?.();
  };
  read();
  const work = new LeftWork(shared);
  // Some may have become this node's after its films were read.
  void work.goOn({ sessions: [], hasFilms: true });
  const lookAtBatches = oneLook(async (forLeft: boolean) => {
    await batches.hearCancels();
    if (forLeft) await batches.goOn();
  }, (error) => shared.onBatchTrouble?.(error));
  const timer = setInterval(() => {
    allowances?.giveBackIdle();
    allowances?.giveUpUnanswered();
    void lookAtBatches(++looks % LOOKS_PER_BATCHES === 0);
    if (looks % LOOKS_PER_READING !== 0) return;
    read();
    void work.goOn({ sessions: [], hasFilms: false });
  }, LOOK_MS);
  Deno.unrefTimer(timer);
  nodes.follow({
    onWanted(projectIds) {
      for (const projectId of projectIds) void allowances?.giveBack(projectId);
    },
    onEnded(sessions) {
      shared.onEnded?.(sessions);
      void lookAtBatches(true);
    },
    onLeft: (left) => void work.goOn(left),
  });
  return () => {
    clearInterval(timer);
    nodes.follow({});
  };
}
