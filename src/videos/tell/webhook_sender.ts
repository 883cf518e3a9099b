/**
 * Sends the messages of the outbox: signed, again and again until they arrive,
 * also after a restart. Whoever receives one twice knows it by its `webhook-id`.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import {
  MOST_LAST_TRIES,
  waitBehind,
  type WebhookDelivery,
  type WebhookMessage,
} from "../../domain/webhook.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import { ADDRESS_REFUSED, type Transport } from "../../providers/transport/contract.ts";
import { drain } from "../../providers/transport/collect_text.ts";
import { postSigned } from "../../providers/transport/post_signed.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { SharedMessages } from "../../storage/ports/shared_work.ts";
import type { WebhookStore } from "../../storage/ports/storage.ts";

/** What the sender needs. */
export interface WebhookSenderOptions {
  readonly webhooks: WebhookStore;
  readonly commits: CommitQueue;
  /** Where others send, too: who tries a message next. Default: this process. */
  readonly shared?: SharedMessages | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Whether messages may go to loopback and private addresses. */
  readonly allowsPrivate: boolean;
  /** Runs `run` after some milliseconds; the function it gives takes that back. */
  readonly later: (run: () => void, ms: number) => () => void;
  readonly onEvent: (event: WebhookTry) => void;
  readonly onError: (error: unknown) => void;
}

/** What became of a try. */
export interface WebhookTry {
  readonly message: WebhookMessage;
  readonly outcome: "delivered" | "failed" | "given_up";
}

const TIMEOUTS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 15_000 };
const AT_ONE_TIME = 8;
/** Of one project: a receiver that does not answer must not keep the others' messages waiting. */
const AT_ONE_TIME_OF_PROJECT = 2;
/** What takes this long took its time: somebody's receiver answers late, or not at all. */
const LATE_MS = 2_000;
/** To receivers that answered late the last time, of all projects together. */
const AT_ONE_TIME_TO_LATE = AT_ONE_TIME / 2;
/** Whom failures are about: who receives webhooks is no upstream. */
const PEER = "The webhook's receiver";
/** What could not be stored is tried again after a while: the receiver must not be flooded. */
const TROUBLE_REST_MS = 30_000;
/** A message that is due is looked for at least this often, should a wake-up be missed. */
const LONGEST_REST_MS = 60_000;
const GONE = 410;

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #abort = new AbortController();
  readonly #sending = new Map<string, Promise<void>>();
  readonly #sendingOf = new Map<string, number>();
  /** Projects whose receiver answered late, or not, when it was last tried. */
  readonly #late = new Set<string>();
  #sendingToLate = 0;
  /** The project whose message was begun last: the turn is that of those behind it. */
  #lastBegun = "";
  #takeBackTimer: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #isWokenAgain = false;
  #isResting = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Looks into the outbox now: a message was put there, or this is the start. */
  wake(): void {
    if (this.#abort.signal.aborted || this.#isResting) return;
    this.#isWokenAgain = this.#looking !== undefined;
    this.#looking ??= this.#look().catch((error) => this.#rest(error)).finally(() => {
      this.#looking = undefined;
      if (this.#isWokenAgain) this.wake();
    });
  }

  /** Ends what is being sent, to be sent again after the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#takeBackTimer?.();
    await this.#looking;
    await Promise.all(this.#sending.values());
  }

  async #look(): Promise<void> {
    const { webhooks, clock, later } = this.#options;
    this.#takeBackTimer?.();
    if (this.#sending.size >= AT_ONE_TIME) return;
    const now = clock.now();
    const due = await webhooks.due(now, {
      most: AT_ONE_TIME + this.#sending.size,
      perProject: AT_ONE_TIME_OF_PROJECT,
      after: this.#lastBegun,
      skip: this.#withoutTurn(),
    });
    for (const message of due) {
      if (this.#sending.size >= AT_ONE_TIME) break;
      if (this.#sending.has(message.id) || this.#abort.signal.aborted) continue;
      if (this.#hasTurn(message.projectId)) this.#begin(message);
    }
    // What is due and was not begun waits for the end of one that is being sent.
    const nextAt = await webhooks.nextDueAt(now);
    if (this.#isResting || this.#abort.signal.aborted) return;
    if (nextAt === undefined && this.#sending.size > 0) return;
    const rest = nextAt === undefined ? LONGEST_REST_MS : Math.max(0, nextAt - clock.now());
    this.#takeBackTimer = later(() => this.wake(), Math.min(rest, LONGEST_REST_MS));
  }

  /** Whether another message of a project may be begun, as far as places are shared. */
  #hasTurn(projectId: string): boolean {
    if ((this.#sendingOf.get(projectId) ?? 0) >= AT_ONE_TIME_OF_PROJECT) return false;
    return this.#sendingToLate < AT_ONE_TIME_TO_LATE || !this.#late.has(projectId);
  }

  /** Projects that need not be looked at now. */
  #withoutTurn(): readonly string[] {
    const known = new Set([...this.#sendingOf.keys(), ...this.#late]);
    return [...known].filter((projectId) => !this.#hasTurn(projectId));
  }

  #begin(message: WebhookMessage): void {
    const { id, projectId } = message;
    const { clock } = this.#options;
    this.#lastBegun = projectId;
    this.#sendingOf.set(projectId, (this.#sendingOf.get(projectId) ?? 0) + 1);
    const isToLate = this.#late.has(projectId);
    if (isToLate) this.#sendingToLate++;
    const startedAt = clock.monotonic();
    const sending = this.#send(message).catch((error) => this.#rest(error)).finally(() => {
      if (clock.monotonic() - startedAt >= LATE_MS) this.#late.add(projectId);
      else this.#late.delete(projectId);
      if (isToLate) this.#sendingToLate--;
      this.#sending.delete(id);
      const left = this.#sendingOf.get(projectId)! - 1;
      if (left === 0) this.#sendingOf.delete(projectId);
      else this.#sendingOf.set(projectId, left);
      this.wake();
    });
    this.#sending.set(id, sending);
  }

  /** Tells of trouble with storage and sends nothing for a while. */
  #rest(error: unknown): void {
    const { onError, later } = this.#options;
    onError(error);
    if (this.#isResting || this.#abort.signal.aborted) return;
    this.#isResting = true;
    this.#takeBackTimer?.();
    this.#takeBackTimer = later(() => {
      this.#isResting = false;
      this.wake();
    }, TROUBLE_REST_MS);
  }

  async #send(message: WebhookMessage): Promise<void> {
    const { clock, commits, shared, onEvent } = this.#options;
    // Of several who have found it due one sends it.
    if (shared !== undefined && !await shared.claim(message)) return;
    const at = clock.now();
    const startedAt = clock.monotonic();
    const { status, error, isFinal } = await this.#try(message);
    // What broke off because of the stop is no try; what has arrived need not be sent again.
    if (error !== null && this.#abort.signal.aborted) return;
    const wait = isFinal ? undefined : waitBehind(message);
    const state = error === null ? "delivered" : wait === undefined ? "given_up" : "waiting";
    const milliseconds = Math.max(0, Math.round(clock.monotonic() - startedAt));
    const after: WebhookMessage = {
      ...message,
      tries: message.tries + 1,
      state,
      nextAt: clock.now() + (state === "waiting" ? wait ?? 0 : 0),
      lastError: error ?? undefined,
      lastTries: [...message.lastTries, { at, milliseconds, status, error }]
        .slice(-MOST_LAST_TRIES),
    };
    const result = await commits.commit({ kind: "change_webhook", message: after });
    if (!result.ok) throw new Error(`Cannot store a try of ${message.id}: ${result.message}`);
    onEvent({ message: after, outcome: state === "waiting" ? "failed" : state });
  }

  /** What became of a try; `isFinal` says that another one would not arrive either. */
  async #try(
    message: WebhookMessage,
  ): Promise<Pick<WebhookDelivery, "status" | "error"> & { readonly isFinal: boolean }> {
    const { webhooks, transport, clock, allowsPrivate } = this.#options;
    const secret = await webhooks.secret(message.projectId);
    if (secret === undefined) {
      return { status: null, error: "the project has no webhook secret", isFinal: false };
    }
    const { id, url } = message;
    try {
      const response = await postSigned(transport, {
        ...{ id, url, allowsPrivate },
        body: bodyOf(message),
        secrets: [secret],
        now: clock.now(),
        peer: PEER,
        timeouts: TIMEOUTS,
      }, this.#abort.signal);
      // Whatever it still sends keeps this place taken, so that no connections pile up.
      await drain(response);
      const { status } = response;
      if (status >= 200 && status < 300) return { status, error: null, isFinal: false };
      return { status, error: `answered ${status}`, isFinal: status === GONE };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const isFinal = error.code === ADDRESS_REFUSED;
      return { status: null, error: failureWords(error), isFinal };
    }
  }
}

/** An event as OpenAI's webhooks send it, so that the SDKs' types fit. */
function bodyOf({ id, createdAt, event, videoId }: WebhookMessage): string {
  return JSON.stringify({
    id,
    object: "event",
    created_at: Math.floor(createdAt / 1000),
    type: event,
    data: { id: videoId },
  });
}
