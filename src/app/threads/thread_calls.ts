/**
 * The calls of one serving thread, as the main thread has them: their holds are counted and written
 * here, their ends settled, and what a thread leaves open that has ended is released.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { BriefMap } from "../../domain/brief_map.ts";
import type { Hold, Ledger } from "../../accounts/ledger.ts";
import type { ClosedCall } from "../../domain/call.ts";
import { GatewayError } from "../../errors.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import type { AttemptSample } from "../../routing/attempt_window.ts";
import type { ThreadMemory } from "./shared_memory.ts";
import { type CallNews, readCallNews, SettledNewsWriter } from "./thread_protocol.ts";

/** What they work with. */
export interface ThreadCallsOptions {
  readonly ledger: Pick<
    Ledger,
    "holdTaken" | "moveTaken" | "close" | "abandon" | "giveBack"
  >;
  readonly memory: ThreadMemory;
  /** The slot of a project whose balance is shared. */
  readonly slotOf: (projectId: string) => number;
  /** Told of each call that has ended, for the log. */
  readonly onCall: (record: CallRecord) => void;
  /** Told of each attempt's outcome. */
  readonly onSample: (routeId: string, sample: AttemptSample) => void;
  /** Sends what became of closes. */
  readonly send: (text: string) => void;
}

interface ThreadCall {
  readonly hold: Hold;
  isClosing: boolean;
  /** Once it is settled, until its thread has said how it ended for its caller. */
  closed: ClosedCall | undefined;
}

export class ThreadCalls {
  readonly #options: ThreadCallsOptions;
  /** By their ids, until their threads have told of their ends. */
  readonly #calls = new BriefMap<number, ThreadCall>();
  readonly #settled = new SettledNewsWriter();
  #isSending = false;
  #hasEnded = false;

  constructor(options: ThreadCallsOptions) {
    this.#options = options;
  }

  /** Takes in what the thread tells; what comes of one that has ended is given back already. */
  take(text: string): void {
    if (this.#hasEnded) return;
    for (const news of readCallNews(text)) this.#takeOne(news);
  }

  /**
   * Releases what the thread has left open, as it has ended; nobody pays for it.
   *
   * @param slots The projects whose balances are shared, by their slots.
   * @returns How many could be released.
   */
  async abandon(slots: Iterable<readonly [projectId: string, slot: number]>): Promise<number> {
    const { ledger, memory } = this.#options;
    this.#hasEnded = true;
    for (const [projectId, slot] of slots) {
      const untold = memory.forget(slot);
      if (untold !== 0n) ledger.giveBack(projectId, untold);
    }
    const open = [...this.#calls.values()].filter(({ isClosing }) => !isClosing);
    this.#calls.clear();
    return await ledger.abandon(open.map(({ hold }) => hold));
  }

  #takeOne(news: CallNews): void {
    const { ledger, memory, slotOf, onSample } = this.#options;
    switch (news.tag) {
      case "hold": {
        const { call } = news;
        memory.told(slotOf(call.projectId), call.heldE8);
        const hold = ledger.holdTaken(call);
        this.#calls.set(call.callId, { hold, isClosing: false, closed: undefined });
        break;
      }
      case "rehold": {
        const { call } = news;
        const { hold } = this.#calls.get(call.callId)!;
        memory.told(slotOf(call.projectId), call.heldE8 - hold.call.heldE8);
        ledger.moveTaken(hold, call);
        break;
      }
      case "close":
        void this.#close(this.#calls.get(news.callId)!, news);
        break;
      case "ended":
        this.#end(news);
        break;
      case "sample":
        onSample(news.routeId, news.sample);
    }
  }

  async #close(
    call: ThreadCall,
    { callId, outcome }: Extract<CallNews, { tag: "close" }>,
  ): Promise<void> {
    call.isClosing = true;
    try {
      call.closed = await this.#options.ledger.close(call.hold, outcome);
      this.#settled.settled(callId, call.closed.heldE8, call.closed.closedAt);
    } catch (error) {
      // Its thread logs it as a request that came to no call.
      this.#calls.take(callId);
      this.#settled.refused(callId, {
        code: error instanceof GatewayError && error.code === "storage_full"
          ? "storage_full"
          : "internal_error",
        cause: String(error instanceof Error ? error.cause ?? error.message : error),
      });
    }
    this.#send();
  }

  #end(
    { callId, status, milliseconds, address, isSticky }: Extract<CallNews, { tag: "ended" }>,
  ): void {
    const call = this.#calls.take(callId)?.closed;
    if (call === undefined) return;
    const record = { call, status, milliseconds, address };
    this.#options.onCall(isSticky ? { ...record, placed: "sticky" } : record);
  }

  /** At the end of this turn, with all that a batch has brought. */
  #send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      if (!this.#hasEnded) this.#options.send(this.#settled.take());
    });
  }
}
