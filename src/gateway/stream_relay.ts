/**
 * Passes a provider's events on to the caller as server-sent events. The only
 * place that holds back the tail until the call is settled, and writes the error
 * frame.
 *
 * @module
 */

import type { CallResult, ClosedCall } from "../domain/call.ts";
import type { Roster, Rostered } from "../domain/brief_map.ts";
import { capabilityOf } from "../domain/capabilities.ts";
import type { TextParts } from "../domain/text_parts.ts";
import { GatewayError } from "../errors.ts";
import { type AttemptFailure, UpstreamError } from "../domain/upstream_error.ts";
import type { AnswerEvent, AnswerStream } from "../dialects/base/answer.ts";
import type { Served } from "./attempt_loop.ts";
import type { CallStream } from "./call_request.ts";
import type { OutputLimit } from "../metering/usage_meter.ts";
import type { LeftStreams } from "./left_streams.ts";
import type { MeteredCall } from "./metered_call.ts";
import { StreamFrames } from "./stream_frames.ts";

/** A stream whose first events are in. */
export interface OpenedStream {
  readonly stream: AnswerStream;
  /** Absent where they were told already. */
  readonly first: readonly AnswerEvent[] | undefined;
}

/** How the caller wants its stream. */
export interface RelayOptions {
  readonly writer: CallStream;
  /** Tokens that the stream may have over all choices; one that is clearly longer is ended. */
  readonly mostTokens: OutputLimit | undefined;
  /** Reads on for the upstream's counts after its caller has left. */
  readonly left: LeftStreams;
  /** Told of seals on thoughts. */
  readonly onSeal?: (seal: string) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Open streams, which a gateway that stops ends with an error frame each. */
  readonly open: Roster<OpenStream>;
  /** Where it was told by somebody else so far; absent: it begins. */
  readonly soFar?: RelayedSoFar;
}

/** What has become of a stream by the time at which its relay begins. */
export interface RelayedSoFar {
  readonly frames: StreamFrames;
  /** Monotonic milliseconds, and milliseconds. */
  readonly openedAt: number;
  readonly heldBackMs: number;
  /** Whether it has been found to be longer than it may be. */
  readonly isTooLong: boolean;
}

/** A stream that is under way. */
export interface OpenStream extends Rostered {
  /** Sends a comment if the caller has been sent nothing since `before` (monotonic milliseconds). */
  keepAlive(before: number): void;
  /** Closes the upstream; the caller gets an error frame and is not charged. */
  stop(): void;
}

/**
 * A stream that its caller has held back for longer than this, and than this share of its time, says
 * nothing of how fast its upstream writes: nobody knows when the last byte came that it was kept from
 * being read. Less than this is the gateway's own work.
 */
const MOST_HELD_BACK_MS = 20;
const MOST_HELD_BACK_SHARE = 1 / 10;

/** A comment that is no part of the answer: it only shows that the stream is alive. */
export const KEEP_ALIVE = ": keepalive\n\n";

/** Makes the body of the caller's answer. Nothing is read ahead of the caller, and `next` never rejects. */
export function relayStream(
  call: MeteredCall,
  served: Served<OpenedStream>,
  options: RelayOptions,
): TextParts & OpenStream {
  const relay = new StreamRelay(call, served, options);
  call.whenCallerLeaves(() => relay.cancel());
  options.open.add(relay);
  return relay;
}

class StreamRelay implements OpenStream, TextParts {
  place = -1;
  readonly #call: MeteredCall;
  readonly #served: Served<OpenedStream>;
  readonly #options: RelayOptions;
  readonly #stream: AnswerStream;
  #waiting: readonly AnswerEvent[] | undefined;
  #reading: Promise<readonly AnswerEvent[] | undefined> | undefined;
  readonly #frames: StreamFrames;
  #ended = false;
  /** Whether its last part was given. */
  isOver = false;
  #stopped = false;
  /** The end of the answer, where it was made before the call was closed. */
  #tail: string | undefined;
  /** The part that is being made; it outlives a `next()` that a comment has answered early. */
  #making: Promise<string | undefined> | undefined;
  #answerEarly: ((part: string | undefined) => void) | undefined;
  readonly #openedAt: number;
  #lastSentAt: number;
  /** For how long nothing was read, because the caller did not take what was there. */
  #heldBackMs: number;
  /** Whether it is to be cut short before more of it is read. */
  #isTooLong: boolean;

  constructor(call: MeteredCall, served: Served<OpenedStream>, options: RelayOptions) {
    this.#call = call;
    this.#served = served;
    this.#options = options;
    this.#stream = served.answer.stream;
    this.#waiting = served.answer.first;
    const { writer, mostTokens, onSeal, soFar } = options;
    this.#frames = soFar?.frames ??
      new StreamFrames({ writer, meter: call.meter, mostTokens, onSeal });
    this.#lastSentAt = options.now();
    this.#openedAt = soFar?.openedAt ?? this.#lastSentAt;
    this.#heldBackMs = soFar?.heldBackMs ?? 0;
    this.#isTooLong = soFar?.isTooLong === true;
  }

  next(): Promise<string | undefined> {
    this.#heldBackMs += this.#options.now() - this.#lastSentAt;
    const making = this.#making ??= this.#make();
    return new Promise((resolve) => {
      this.#answerEarly = resolve;
      making.then((part) => {
        if (this.#answerEarly !== resolve) return;
        this.#answerEarly = this.#making = undefined;
        this.#lastSentAt = this.#options.now();
        this.isOver = this.#ended;
        resolve(part);
      });
    });
  }

  keepAlive(before: number): void {
    // Nobody waits: the caller does not read, and gets nothing more to keep for it.
    if (this.#answerEarly === undefined || this.#lastSentAt >= before) return;
    const answer = this.#answerEarly;
    this.#answerEarly = undefined;
    this.#lastSentAt = this.#options.now();
    answer(this.#options.writer.keepAlive ?? KEEP_ALIVE);
  }

  stop(): void {
    this.#stopped = true;
    this.#stream.cancel();
  }

  /** The caller is gone: the stream is read on as far as that is worth it, then closed and settled by policy. */
  async cancel(): Promise<void> {
    if (this.#ended) return;
    this.#end();
    // Who waits for more, such as to free an idempotency key, does not wait for the reading on.
    this.#answerEarly?.(undefined);
    this.#answerEarly = undefined;
    if (this.#stopped) {
      // Its reader had stalled, and is cut off before it could be told.
      this.#served.ended("aborted");
      return await this.#closeUnpaid("gateway_stopped", stoppedError(undefined).code);
    }
    const { meter } = this.#call;
    // Read, though never shown: what the upstream has counted is used.
    for (const event of this.#waiting ?? []) meter.report(event.usage, event.terms);
    const { endsWithCaller } = capabilityOf(this.#call.facts.capability);
    const { hasBegun } = this.#frames;
    if (hasBegun && !meter.isReportWhole && endsWithCaller !== true) {
      const { left, mostTokens } = this.#options;
      await left.read(this.#call, {
        stream: this.#stream,
        reading: this.#reading,
        mostTokens: mostTokens?.answer,
      });
    }
    this.#stream.cancel();
    this.#served.ended(this.#frames.isFinished ? "success" : "aborted");
    const closing = hasBegun
      ? this.#call.close(
        { result: "client_aborted", billable: true, status: 200 },
        () => meter.complete(),
      )
      : this.#call.leave({ status: 200 });
    await closing.catch(tellDefect);
  }

  /** Ends the call at the operator's cost: the caller did nothing to end it. */
  async #closeUnpaid(result: CallResult, errorCode: string): Promise<void> {
    await this.#call.close(
      { result, billable: false, status: 200, errorCode },
      (meter) => meter.brokenOff(),
    ).catch(tellDefect);
  }

  async #make(): Promise<string | undefined> {
    try {
      if (this.#isTooLong) {
        this.#isTooLong = false;
        const last = await this.#cutShort();
        if (last !== "") return last;
      }
      while (!this.#ended) {
        const events = this.#waiting ?? await (this.#reading = this.#stream.next());
        this.#waiting = this.#reading = undefined;
        if (this.#ended) return undefined;
        if (events === undefined) return await this.#finish();
        const frames = this.#frames.add(events);
        const last = this.#frames.isTooLong ? await this.#cutShort() : "";
        if (frames + last !== "") return frames + last;
      }
      return undefined;
    } catch (error) {
      if (!this.#ended) return await this.#breakOff(error);
      tellDefect(error);
      return undefined;
    }
  }

  /** Ends an answer whose upstream does not keep to its limit: what came is all there is, and billed. */
  async #cutShort(): Promise<string> {
    const last = this.#stream.cutShort?.();
    return last === undefined ? "" : this.#frames.add(last) + await this.#finish();
  }

  /** The tail, once the call is settled on disk. */
  async #finish(): Promise<string> {
    this.#end();
    const openMs = this.#options.now() - this.#openedAt;
    const isHeld = isHeldBack(this.#heldBackMs, openMs);
    this.#served.ended("success", isHeld ? undefined : this.#call.meter.seenTokens);
    const closed = await this.#settle();
    const { writer } = this.#options;
    return closed instanceof GatewayError
      ? writer.errorFrame(closed)
      : this.#tail ?? writer.tail(this.#call.describe(closed, this.#frames.usageBody));
  }

  async #settle(): Promise<ClosedCall | GatewayError> {
    const { writer } = this.#options;
    const { remember } = this.#call.request;
    try {
      return await this.#call.close(
        { result: "completed", billable: true, status: 200 },
        (meter) => meter.complete(),
        writer.keep === undefined && remember === undefined ? undefined : (closing) => {
          const facts = this.#call.describe(closing, this.#frames.usageBody);
          const response = writer.keep?.(facts);
          const idempotency = remember?.(this.#tail = writer.tail(facts));
          return { kept: { response, idempotency } };
        },
      );
    } catch (error) {
      tellDefect(error);
      return asGatewayError(error);
    }
  }

  /** The upstream broke after output had reached the caller: free for the caller, and said in-band. */
  async #breakOff(error: unknown): Promise<string> {
    this.#end();
    this.#stream.cancel();
    const shown = this.#stopped ? stoppedError(error) : asGatewayError(error);
    if (!this.#stopped) tellDefect(error);
    this.#served.ended(
      this.#stopped ? "aborted" : failureOf(error),
    );
    await this.#closeUnpaid(this.#stopped ? "gateway_stopped" : resultOf(error), shown.code);
    return this.#options.writer.errorFrame(shown);
  }

  #end(): void {
    this.#ended = true;
    this.#options.open.delete(this);
  }
}

/** Whether the caller's own slowness is a part of how long a stream took that counts. */
export function isHeldBack(heldBackMs: number, openMs: number): boolean {
  return heldBackMs > MOST_HELD_BACK_MS && heldBackMs > openMs * MOST_HELD_BACK_SHARE;
}

function failureOf(error: unknown): AttemptFailure {
  if (error instanceof UpstreamError) return error.failure;
  // There was no room for the answer, which is not the upstream's fault.
  return error instanceof GatewayError ? "starved" : "broken";
}

/** How a call ends whose stream broke: by its upstream, or as there was no room for more of it. */
function resultOf(error: unknown): CallResult {
  return failureOf(error) === "starved" ? "refused" : "upstream_failed";
}

/** How a stream that fails in the middle says so to its caller. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const [name, what] = error instanceof UpstreamError
    ? ["upstream_error", "The upstream broke off"] as const
    : ["internal_error", "The gateway failed"] as const;
  return new GatewayError(
    name,
    `${what} in the middle of the answer: what came so far is incomplete and is not charged. Send the request again`,
    { cause: error },
  );
}

function stoppedError(cause: unknown): GatewayError {
  return new GatewayError(
    "shutting_down",
    "The gateway is stopping and could not finish this answer: what came so far is incomplete and is not charged. Send the request again",
    { cause },
  );
}

/**
 * What upstreams and storage do wrong is accounted for and logged where it happens. A
 * defect goes to the operator's log as what it is, and keeps no caller waiting.
 */
export function tellDefect(error: unknown): void {
  if (!(error instanceof GatewayError || error instanceof UpstreamError)) reportError(error);
}
