/**
 * What the main thread and the threads that serve tell each other.
 *
 * @module
 */

import type { CallOutcome } from "../../accounts/close_call.ts";
import type { Caller } from "../../accounts/key_directory.ts";
import type { Settings } from "../../config/process_settings.ts";
import type { ProxiedSchemes } from "../../config/proxied_schemes.ts";
import type { FailedAttempt as FailedAttemptRow, OpenCall } from "../../domain/call.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { AttemptFailure, OperatorFault } from "../../domain/upstream_error.ts";
import type { RequestRecord } from "../../http/context/api_deps.ts";
import type { ListenerLimits } from "../../http/listener/contract.ts";
import type { UsualBounds } from "../../http/thread_handler.ts";
import type { KeyRefusal } from "../../providers/contract/provider.ts";
import type { AttemptSample } from "../../routing/attempt_window.ts";
import { pushOpenCall, readOpenCall, ValueReader } from "../../storage/entries/call_values.ts";
import type { LogFields } from "../../telemetry/log.ts";
import type { SharedBuffers } from "./shared_memory.ts";

/** What a thread begins with. */
export interface ThreadStart {
  /** From 0. */
  readonly index: number;
  readonly buffers: SharedBuffers;
  /** The last number that was given to a call. */
  readonly callCount: SharedArrayBuffer;
  /** What request ids and seals are made with. */
  readonly idKey: Uint8Array;
  /** When the main thread's monotonic clock began, by the clock as it is set now; milliseconds since the epoch. */
  readonly timeOrigin: number;
  readonly listen: { readonly hostname: string; readonly port: number };
  /** Where requests go that are not served in a thread. */
  readonly passagePath: string;
  readonly limits: Partial<ListenerLimits>;
  readonly bodies: Settings["bodies"];
  readonly trustedProxies: Settings["trustedProxies"];
  /** What is of the usual kind, which alone is served. */
  readonly usual: UsualBounds;
  /** Whether calls may take the quick way. */
  readonly isQuick: boolean;
  readonly proxied: ProxiedSchemes | undefined;
  readonly catalogue: SharedCatalogue;
  /** What is known of sealed thoughts, as `SealedRoutes` has it. */
  readonly seals: string;
}

/** The catalogue, and where what its routes may take is counted. */
export interface SharedCatalogue {
  readonly version: number;
  readonly catalogue: Catalogue;
  /** By the route: the slots of those that have limits. Of one that has none here, there was no room. */
  readonly gauges: ReadonlyMap<string, number>;
}

/** A caller whose calls a thread may serve, and what they take from. */
export interface ThreadCaller {
  readonly caller: Caller;
  /** Of its project's balance in the shared memory. */
  readonly slot: number;
  /** Of what is counted of its limits; absent where it has none. */
  readonly projectGauge: number | undefined;
  readonly keyGauge: number | undefined;
}

/** To a thread. */
export type ToThread =
  | { readonly kind: "settled"; readonly text: string }
  | {
    readonly kind: "learnt";
    readonly ask: number;
    /** The state of keys and projects that this is of. */
    readonly version: number;
    /** Absent: the key's requests are not served in a thread. */
    readonly found: ThreadCaller | undefined;
  }
  | { readonly kind: "catalogue"; readonly shared: SharedCatalogue }
  | { readonly kind: "sample"; readonly routeId: string; readonly sample: AttemptSample }
  | { readonly kind: "seal"; readonly seal: SealNote }
  /** Secrets are to be read again, and what routes are blamed for is forgotten. */
  | { readonly kind: "reload" }
  | { readonly kind: "drain" }
  | { readonly kind: "stop_streams" }
  | { readonly kind: "close_listener" }
  /** Every connection is to be closed at once. */
  | { readonly kind: "cut" };

/** From a thread. */
export type FromThread =
  | { readonly kind: "listening" }
  | { readonly kind: "calls"; readonly text: string }
  | { readonly kind: "learn"; readonly ask: number; readonly key: string }
  | { readonly kind: "seal"; readonly seal: SealNote }
  | { readonly kind: "attempt_failed"; readonly attempt: AttemptNote }
  | { readonly kind: "key_refused"; readonly refusal: KeyRefusal }
  | { readonly kind: "request"; readonly record: Omit<RequestRecord, "cause"> & { cause?: string } }
  | { readonly kind: "log"; readonly event: string; readonly fields: LogFields }
  /** All of its calls are over. */
  | { readonly kind: "idle" }
  | { readonly kind: "closed" };

/** Which route a conversation's sealed thoughts are from. */
export interface SealNote {
  readonly projectId: string;
  readonly seal: string;
  readonly route: string;
}

/** A failed attempt, as it crosses. */
export interface AttemptNote {
  readonly requestId: string;
  readonly routeId: string;
  readonly capability: OpenCall["capability"];
  readonly message: string;
  readonly failure: AttemptFailure;
  readonly status: number | undefined;
  readonly fault: OperatorFault | undefined;
  readonly key: string | undefined;
  readonly cause: string | undefined;
}

/** What a thread tells of its calls, in the order in which it happened. */
export type CallNews =
  | { readonly tag: "hold" | "rehold"; readonly call: OpenCall }
  | { readonly tag: "close"; readonly callId: number; readonly outcome: CallOutcome }
  | ({ readonly tag: "ended"; readonly callId: number } & CallEnd)
  | { readonly tag: "sample"; readonly routeId: string; readonly sample: AttemptSample };

/** How a call ended for its caller, once it is settled. */
export interface CallEnd {
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string | undefined;
  readonly isSticky: boolean;
}

enum Tag {
  Hold,
  Rehold,
  Close,
  Ended,
  Sample,
}

/** Gathers such news as flat values. */
export class CallNewsWriter {
  #values: unknown[] = [];

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  hold(call: OpenCall): void {
    this.#values.push(Tag.Hold);
    pushOpenCall(this.#values, call);
  }

  rehold(call: OpenCall): void {
    this.#values.push(Tag.Rehold);
    pushOpenCall(this.#values, call);
  }

  close(callId: number, outcome: CallOutcome): void {
    this.#values.push(
      Tag.Close,
      callId,
      outcome.result,
      outcome.billable,
      outcome.work,
      outcome.terms,
      outcome.usageSource,
      outcome.costE8.toString(),
      outcome.saleE8.toString(),
      outcome.firstByteMs,
      outcome.attempts,
      outcome.errorCode,
      outcome.failedAttempts,
    );
  }

  ended(callId: number, { status, milliseconds, address, isSticky }: CallEnd): void {
    this.#values.push(Tag.Ended, callId, status, milliseconds, address, isSticky);
  }

  sample(routeId: string, sample: AttemptSample): void {
    this.#values.push(Tag.Sample, routeId, sample);
  }

  /** All of them as one text; none are left. */
  take(): string {
    const text = JSON.stringify(this.#values);
    this.#values = [];
    return text;
  }
}

/** Reads what {@linkcode CallNewsWriter.take} gave. */
export function* readCallNews(text: string): Iterable<CallNews> {
  const values = new ValueReader(JSON.parse(text));
  while (!values.ended) {
    switch (values.next<Tag>()) {
      case Tag.Hold:
        yield { tag: "hold", call: readOpenCall(values) };
        break;
      case Tag.Rehold:
        yield { tag: "rehold", call: readOpenCall(values) };
        break;
      case Tag.Close:
        yield { tag: "close", callId: values.next(), outcome: readOutcome(values) };
        break;
      case Tag.Ended:
        yield {
          tag: "ended",
          callId: values.next(),
          status: values.next(),
          milliseconds: values.next(),
          address: values.nextOptional(),
          isSticky: values.next(),
        };
        break;
      case Tag.Sample:
        yield { tag: "sample", routeId: values.next(), sample: values.next() };
    }
  }
}

/** In the order in which they are written: an object's properties are evaluated as written. */
function readOutcome(values: ValueReader): CallOutcome {
  const outcome = {
    result: values.next<CallOutcome["result"]>(),
    billable: values.next<boolean>(),
    work: values.next<CallOutcome["work"]>(),
    terms: values.nextOptional<CallOutcome["terms"]>(),
    usageSource: values.next<CallOutcome["usageSource"]>(),
    costE8: values.nextAmount(),
    saleE8: values.nextAmount(),
    firstByteMs: values.nextOptional<number>(),
    attempts: values.next<number>(),
    errorCode: values.nextOptional<string>(),
  };
  const failedAttempts = values.nextOptional<readonly FailedAttemptRow[]>();
  return failedAttempts === undefined ? outcome : { ...outcome, failedAttempts };
}

/** What became of a close: the call as it is stored, or why it is not. */
export type SettledNews =
  | { readonly callId: number; readonly heldE8: bigint; readonly closedAt: number }
  | { readonly callId: number; readonly error: SettleError };

/** A refusal of the ledger, as it crosses. */
export interface SettleError {
  readonly code: "storage_full" | "internal_error";
  readonly cause: string | undefined;
}

/** Gathers such news. */
export class SettledNewsWriter {
  #values: unknown[] = [];

  settled(callId: number, heldE8: bigint, closedAt: number): void {
    this.#values.push(callId, heldE8.toString(), closedAt);
  }

  refused(callId: number, { code, cause }: SettleError): void {
    this.#values.push(callId, { code, cause }, 0);
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  take(): string {
    const text = JSON.stringify(this.#values);
    this.#values = [];
    return text;
  }
}

/** Reads what {@linkcode SettledNewsWriter.take} gave. */
export function* readSettledNews(text: string): Iterable<SettledNews> {
  const values = new ValueReader(JSON.parse(text));
  while (!values.ended) {
    const callId = values.next<number>();
    const found = values.next<string | SettleError>();
    const closedAt = values.next<number>();
    if (typeof found === "string") yield { callId, heldE8: BigInt(found), closedAt };
    else yield { callId, error: found };
  }
}
