/**
 * Waiting under the time limits of a provider, and what faults on demand do to an answer: a built-in
 * model that stalls is given up as an upstream would be.
 *
 * @module
 */

import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import type { Clock } from "../../domain/clock.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ProviderCall } from "../contract/provider.ts";
import { pause } from "./pace.ts";
import { NO_BODY } from "../../dialects/base/error_form.ts";
import { errorOfAnswer } from "../upstream/make_error.ts";

/** One call to a built-in model. */
export interface BuiltinCall {
  readonly call: ProviderCall;
  readonly faults: ChatFaults;
  /** The provider's time limits, which a stalling model observes as a transport would. */
  readonly timeouts: ProviderTimeouts;
  readonly signal: AbortSignal;
}

/** The waits of one call; all of them end when the call's signal or `end()` says so. */
export class Patience {
  readonly #call: BuiltinCall;
  readonly #clock: Clock;
  readonly #isStream: boolean;
  readonly #startedAt: number;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    call: BuiltinCall,
    options: { readonly clock: Clock; readonly stream: boolean },
  ) {
    this.#call = call;
    this.#clock = options.clock;
    this.#isStream = options.stream;
    this.#startedAt = options.clock.monotonic();
    this.#signal = AbortSignal.any([call.signal, this.#ended.signal]);
  }

  /** Aborted with the call, or by `end()`. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  end(): void {
    this.#ended.abort();
  }

  /**
   * Waits, at most until the total limit.
   *
   * @throws {UpstreamError} `broken` at the total limit, `aborted` by the signal.
   */
  async wait(milliseconds: number): Promise<void> {
    const { totalMs } = this.#call.timeouts;
    const left = this.#startedAt + totalMs - this.#clock.monotonic();
    await pause(Math.max(0, Math.min(milliseconds, left)), this.#signal);
    if (milliseconds > left) throw late(`complete within ${totalMs} ms`);
  }

  /**
   * Says nothing until a limit ends the call: for streams that of the first
   * byte, then the idle one; for plain answers the total one.
   *
   * @throws {UpstreamError} Always: `broken`, or `aborted` by the signal.
   */
  async stall(options: { readonly hasSent?: boolean } = {}): Promise<never> {
    const { firstByteMs, idleMs, totalMs } = this.#call.timeouts;
    if (!this.#isStream) {
      await this.wait(totalMs + 1);
    } else if (options.hasSent === true) {
      await this.wait(idleMs);
      throw late(`send more within ${idleMs} ms`);
    }
    await this.wait(firstByteMs);
    throw late(`begin to answer within ${firstByteMs} ms`);
  }
}

function late(what: string): UpstreamError {
  return new UpstreamError("broken", `The built-in model did not ${what}`);
}

/**
 * A plain answer comes whole or not at all, so each fault delays or ends it as a whole.
 *
 * @throws {UpstreamError}
 */
export async function sufferFaults(
  faults: ChatFaults,
  { patience, tokens }: { readonly patience: Patience; readonly tokens: number },
): Promise<void> {
  if (faults.tokenMs > 0) await patience.wait(faults.tokenMs * tokens);
  if (faults.stallAfter !== undefined) await patience.stall();
  if (faults.cutAfter !== undefined) {
    throw new UpstreamError("broken", "The built-in model closed the connection");
  }
}

/** The error that a real upstream's answer of that status would become. */
export function faultOfStatus(status: number, clock: Clock): UpstreamError {
  const asksToWait = status === 429 || status === 503;
  return errorOfAnswer({
    status,
    header: (name) => asksToWait && name === "retry-after" ? "1" : undefined,
    body: { ...NO_BODY, message: `The built-in model was told to answer ${status}` },
    now: clock.now(),
  }, { secrets: [], host: "" });
}
