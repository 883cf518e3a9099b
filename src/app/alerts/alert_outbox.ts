/**
 * Messages that are to arrive: each is tried again and again at each of its receivers, one at a
 * time, in the order in which they are due. Bounded: the oldest go first.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type AlertTarget, shownTarget } from "../../config/alert_fields.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import type { Clock } from "../../domain/clock.ts";
import { drain } from "../../providers/transport/collect_text.ts";
import type { Transport } from "../../providers/transport/contract.ts";
import { postSigned } from "../../providers/transport/post_signed.ts";
import { alertBody, type AlertMessage } from "./alert_bodies.ts";

/** A message, and who has not got it. */
export interface WaitingMessage {
  readonly message: AlertMessage;
  /** By the name of the receiver, which holds nothing of its URL. */
  readonly to: Readonly<Record<string, { readonly tries: number; readonly nextAt: number }>>;
}

/** What became of a try. */
export type AlertOutcome = "delivered" | "failed" | "given_up" | "dropped";

/** What sending works with. */
export interface AlertOutboxOptions {
  readonly targets: readonly AlertTarget[];
  /** The URL of a target, read anew where it is a reference; throws why there is none. */
  readonly urlOf: (target: AlertTarget) => string;
  /** What signs webhooks; throws why there is nothing. */
  readonly secret: () => string;
  readonly allowsPrivate: boolean;
  /** The gateway's own address. */
  readonly gateway: () => string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly later: (run: () => void, ms: number) => () => void;
  /** Something has changed that is to be kept. */
  readonly onChange: () => void;
  readonly onTried: (outcome: AlertOutcome, target: string, why: string | undefined) => void;
}

/** Waits before the second, third … try; after the last one it is given up at that receiver. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000];
const TIMEOUTS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 15_000 };
const MOST_WAITING = 100;
/** Due ones are looked for at least so often, should the clock be set. */
const LONGEST_REST_MS = 60_000;

/** One receiver. */
interface Receiver {
  readonly target: AlertTarget;
  readonly name: string;
  trouble: string | undefined;
  sending: Promise<void> | undefined;
}

export class AlertOutbox {
  readonly #options: AlertOutboxOptions;
  readonly #receivers: readonly Receiver[];
  readonly #abort = new AbortController();
  #waiting: WaitingMessage[];
  #takeBackTimer: (() => void) | undefined;

  /** @param kept What an earlier process has not delivered; what is for nobody any more is dropped. */
  constructor(options: AlertOutboxOptions, kept: readonly WaitingMessage[]) {
    this.#options = options;
    this.#receivers = options.targets.map((target) => ({
      target,
      name: nameOf(target),
      trouble: undefined,
      sending: undefined,
    }));
    const names = new Set(this.#receivers.map(({ name }) => name));
    this.#waiting = kept.flatMap(({ message, to }) => {
      const left = Object.entries(to).filter(([name]) => names.has(name));
      return left.length === 0 ? [] : [{ message, to: Object.fromEntries(left) }];
    });
  }

  /** What has not arrived everywhere. */
  waiting(): readonly WaitingMessage[] {
    return this.#waiting;
  }

  /** Who is told, and what keeps messages from them. */
  receivers() {
    return this.#receivers.map(({ target, name, trouble }) => ({
      target: shownTarget(target),
      waiting: this.#waiting.filter(({ to }) => name in to).length,
      trouble,
    }));
  }

  /** Takes a message for everybody, to be sent once {@linkcode AlertOutbox.wake} is called. */
  add(message: AlertMessage): void {
    const { clock, onTried } = this.#options;
    if (this.#receivers.length === 0) return;
    const now = clock.now();
    const to = Object.fromEntries(
      this.#receivers.map(({ name }) => [name, { tries: 0, nextAt: now }]),
    );
    this.#waiting.push({ message, to });
    while (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      onTried("dropped", "all", `more than ${MOST_WAITING} messages wait`);
    }
  }

  /** Sends what is due. */
  wake(): void {
    this.#takeBackTimer?.();
    if (this.#abort.signal.aborted) return;
    const now = this.#options.clock.now();
    let nextAt = Infinity;
    for (const receiver of this.#receivers) {
      if (receiver.sending !== undefined) continue;
      const next = this.#nextOf(receiver);
      if (next === undefined) continue;
      if (next.nextAt > now) {
        nextAt = Math.min(nextAt, next.nextAt);
        continue;
      }
      receiver.sending = this.#send(receiver, next.message).finally(() => {
        receiver.sending = undefined;
        this.wake();
      });
    }
    if (nextAt === Infinity) return;
    const { later } = this.#options;
    this.#takeBackTimer = later(() => this.wake(), Math.min(nextAt - now, LONGEST_REST_MS));
  }

  /** Sends a message to everybody at once, beside all others, and says what became of it. */
  async sendNow(message: AlertMessage) {
    const { clock } = this.#options;
    return await Promise.all(this.#receivers.map(async (receiver) => {
      const begun = clock.monotonic();
      const { isDelivered, answer } = await this.#post(receiver, message);
      return {
        target: shownTarget(receiver.target),
        delivered: isDelivered,
        answer,
        milliseconds: Math.round(clock.monotonic() - begun),
      };
    }));
  }

  /** Ends what is being sent, to be sent again after the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#takeBackTimer?.();
    await Promise.all(this.#receivers.map(({ sending }) => sending));
  }

  #nextOf({ name }: Receiver) {
    let next: { readonly message: AlertMessage; readonly nextAt: number } | undefined;
    for (const { message, to } of this.#waiting) {
      const turn = to[name];
      if (turn === undefined || (next !== undefined && next.nextAt <= turn.nextAt)) continue;
      next = { message, nextAt: turn.nextAt };
    }
    return next;
  }

  async #send(receiver: Receiver, message: AlertMessage): Promise<void> {
    const { clock, onTried, onChange } = this.#options;
    const { isDelivered, answer } = await this.#post(receiver, message);
    // What broke off because of the stop is no try.
    if (!isDelivered && this.#abort.signal.aborted) return;
    const at = this.#waiting.findIndex((one) => one.message.id === message.id);
    const { to } = this.#waiting[at] ?? {};
    const turn = to?.[receiver.name];
    // It was dropped meanwhile.
    if (to === undefined || turn === undefined) return;
    const wait = isDelivered ? undefined : WAITS_MS[turn.tries];
    const left = { ...to };
    if (wait === undefined) delete left[receiver.name];
    else left[receiver.name] = { tries: turn.tries + 1, nextAt: clock.now() + wait };
    if (Object.keys(left).length === 0) this.#waiting.splice(at, 1);
    else this.#waiting[at] = { message, to: left };
    onTried(
      isDelivered ? "delivered" : wait === undefined ? "given_up" : "failed",
      shownTarget(receiver.target),
      isDelivered ? undefined : answer,
    );
    onChange();
  }

  async #post(receiver: Receiver, message: AlertMessage) {
    const { urlOf, secret, allowsPrivate, gateway, transport, clock } = this.#options;
    const { target } = receiver;
    try {
      const response = await postSigned(transport, {
        ...{ id: message.id, url: urlOf(target), allowsPrivate },
        body: alertBody(target.form, message, gateway()),
        secrets: target.form === "slack" ? [] : [{ secret: secret(), previous: undefined }],
        now: clock.now(),
        peer: "Who is told of alerts",
        timeouts: TIMEOUTS,
      }, this.#abort.signal);
      await drain(response);
      const isDelivered = response.status >= 200 && response.status < 300;
      const answer = `answered ${response.status}`;
      receiver.trouble = isDelivered ? undefined : answer;
      return { isDelivered, answer };
    } catch (error) {
      // A URL or secret that is not there is a fault of the settings, which is told as one.
      const answer = error instanceof UpstreamError
        ? failureWords(error)
        : error instanceof Error
        ? error.message
        : String(error);
      receiver.trouble = answer;
      return { isDelivered: false, answer };
    }
  }
}

/** Says nothing of the URL, which may be a secret. */
function nameOf({ form, url }: AlertTarget): string {
  return createHash("sha256").update(`${form}=${url}`).digest("hex").slice(0, 16);
}
