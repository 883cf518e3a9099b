/**
 * The ledger as a serving thread has it: takes holds from balances in shared memory by itself, tells
 * the main thread of them, and has it settle each call, which alone writes.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { BriefMap } from "../../domain/brief_map.ts";
import {
  type CallOutcome,
  closeCall,
  type Closing,
  type KeptAnswer,
} from "../../accounts/close_call.ts";
import type { CallLedger } from "../../accounts/call_ledger.ts";
import type { Hold } from "../../accounts/ledger.ts";
import { notAccountedFor, storageFull } from "../../accounts/ledger_refusals.ts";
import type { Balance } from "../../domain/account.ts";
import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import type { AttemptSample } from "../../routing/attempt_window.ts";
import type { SharedMemory, ThreadMemory } from "./shared_memory.ts";
import { CallNewsWriter, readSettledNews, type SettledNews } from "./thread_protocol.ts";

/** What it works with. */
export interface ThreadLedgerOptions {
  readonly shared: SharedMemory;
  readonly memory: ThreadMemory;
  /** The slot of a project that one of the thread's callers is of. */
  readonly slotOf: (projectId: string) => number;
  /** Sends news to the main thread. */
  readonly send: (text: string) => void;
}

class ThreadHold implements Hold {
  closed = false;

  constructor(public call: OpenCall, readonly slot: number) {}
}

interface OpenClosing extends Pick<Closing, "done" | "failed"> {
  readonly hold: ThreadHold;
  readonly outcome: CallOutcome;
}

function tellClosing(
  { hold: { call }, outcome, done, failed }: OpenClosing,
  news: SettledNews,
): void {
  if ("error" in news) {
    const { code, cause } = news.error;
    return failed(code === "storage_full" ? storageFull() : notAccountedFor(cause ?? code));
  }
  const { heldE8, closedAt } = news;
  const raised = heldE8 === call.heldE8 ? call : { ...call, heldE8 };
  done(closeCall(raised, outcome, closedAt));
}

/** News that nobody waits for goes after so long, with what comes until then. */
const LINGER_MS = 3;

export class ThreadLedger implements CallLedger {
  readonly #options: ThreadLedgerOptions;
  readonly #news = new CallNewsWriter();
  /** By the ids of their calls. */
  readonly #closings = new BriefMap<number, OpenClosing>();
  #isSending = false;
  #lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ThreadLedgerOptions) {
    this.#options = options;
  }

  balanceOf(projectId: string): Balance {
    const { memory, slotOf } = this.#options;
    return { projectId, avail: memory.availOf(slotOf(projectId)), held: 0n };
  }

  /** As the main thread's; no budget stands against the calls that are served here. */
  hold(call: OpenCall): Hold | undefined {
    const { shared, memory, slotOf } = this.#options;
    if (shared.isTroubled) throw storageFull();
    const slot = slotOf(call.projectId);
    if (!memory.take(slot, call.heldE8)) return undefined;
    memory.callBegun();
    this.#news.hold(call);
    this.#linger();
    return new ThreadHold(call, slot);
  }

  /** As the main thread's. */
  rehold(hold: Hold, to: Parameters<CallLedger["rehold"]>[1]): boolean {
    const owned = hold as ThreadHold;
    const { call, slot } = owned;
    if (owned.closed || !this.#options.memory.take(slot, to.heldE8 - call.heldE8)) return false;
    owned.call = { ...call, ...to };
    this.#news.rehold(owned.call);
    this.#linger();
    return true;
  }

  /** As the main thread's, which decides it; nothing of the answer is stored. */
  close(
    hold: Hold,
    outcome: CallOutcome,
    keep?: (closed: ClosedCall) => KeptAnswer,
  ): Promise<ClosedCall> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<ClosedCall>();
    this.closeThen(hold, outcome, { keep, done, failed });
    return promise;
  }

  /** The same by callbacks. */
  closeThen(hold: Hold, outcome: CallOutcome, { keep, done, failed }: Closing): void {
    const owned = hold as ThreadHold;
    if (owned.closed || keep !== undefined) {
      const why = owned.closed ? "it is closed already" : "its answer is to be kept";
      throw new Error(`Cannot close call ${owned.call.requestId} here as ${why}`);
    }
    owned.closed = true;
    const { callId } = owned.call;
    this.#closings.set(callId, { hold: owned, outcome, done, failed });
    this.#news.close(callId, outcome);
    this.#sendSoon();
  }

  /** Takes in what became of closes. */
  settled(text: string): void {
    for (const news of readSettledNews(text)) {
      const closing = this.#closings.take(news.callId)!;
      this.#options.memory.callEnded();
      try {
        tellClosing(closing, news);
      } catch (error) {
        // A defect of one keeps no other from its end.
        reportError(error);
      }
    }
  }

  /** Tells how a settled call ended for its caller. */
  ended({ call, status, milliseconds, address, placed }: CallRecord): void {
    const isSticky = placed === "sticky";
    this.#news.ended(call.callId, { status, milliseconds, address, isSticky });
    this.#linger();
  }

  /** Tells of an attempt's outcome; at once where other threads wait to hear of it. */
  sample(routeId: string, sample: AttemptSample, isNews: boolean): void {
    this.#news.sample(routeId, sample);
    if (isNews) this.flush();
    else this.#linger();
  }

  /** Sends what is not sent yet. */
  flush(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    if (!this.#news.isEmpty) this.#options.send(this.#news.take());
  }

  #linger(): void {
    this.#lingering ??= setTimeout(() => this.flush(), LINGER_MS);
  }

  /** At the end of this turn, with all that other calls have come to. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.flush();
    });
  }
}
