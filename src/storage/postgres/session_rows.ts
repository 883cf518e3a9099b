/**
 * What a node's session knows of its own rows as they are stored, from the batches that it has written:
 * nobody else changes its leases or its open calls while it lives.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { StoredHold } from "../entries/call_steps.ts";
import type { Entry } from "../ports/entry.ts";
import type { Purse } from "./batch_rows.ts";

/** What is stored of a call that an entry goes on with. */
export interface KnownCall extends StoredHold {
  readonly unlimited: boolean;
  /** Whose it is: `EARLIER_SESSION` of one that is nobody's, such as a film's. */
  readonly session: SessionId;
}

/** Of one session; empty at its start, and after anything that nobody knows the end of. */
export class SessionRows {
  readonly #leases: Map<string, Readonly<Purse>> = new Map();
  readonly #openCalls: Map<number, KnownCall> = new Map();

  lease(projectId: string): Readonly<Purse> | undefined {
    return this.#leases.get(projectId);
  }

  putLease(projectId: string, lease: Readonly<Purse>): void {
    this.#leases.set(projectId, { ...lease });
  }

  /** One that this session has opened and not ended; `undefined` of one that it knows nothing of. */
  openCall(callId: number): KnownCall | undefined {
    return this.#openCalls.get(callId);
  }

  putCall(callId: number, call: KnownCall, session: SessionId): void {
    if (call.state === "open" && call.session === session) this.#openCalls.set(callId, call);
    else this.#openCalls.delete(callId);
  }

  /** Everything is read again from now on. */
  clear(): void {
    this.#leases.clear();
    this.#openCalls.clear();
  }

  /** Whether entries are steps of calls alone, of which no more is kept than their end, and all leases are known. */
  cover(entries: readonly Entry[]): boolean {
    return entries.every((entry) => {
      switch (entry.kind) {
        case "close":
          if (entry.response ?? entry.idempotency ?? entry.batchLine) return false;
          return this.#leases.has(entry.call.projectId);
        case "hold":
        case "rehold":
          return this.#leases.has(entry.call.projectId);
        default:
          return false;
      }
    });
  }
}
