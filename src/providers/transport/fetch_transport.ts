/**
 * The transport over the runtime's own `fetch`: it honours HTTP_PROXY and
 * NO_PROXY, but cannot tell connecting from waiting, so the limit for
 * connecting is that of the whole phase before the headers. Nor can it say which
 * address it calls, so it refuses requests that are for public ones alone.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import {
  BodyLengthError,
  isStreamed,
  peerOf,
  type StreamedBody,
  type Transport,
  type TransportOptions,
  type UpstreamRequest,
  type UpstreamResponse,
  wholeBody,
} from "./contract.ts";
import { collectText, drain } from "./collect_text.ts";
import { Watchdog } from "./watchdog.ts";

/** Creates the transport over `fetch`. */
export function createFetchTransport(
  options: TransportOptions & { readonly fetch?: typeof fetch },
): Transport {
  const doFetch = options.fetch ?? fetch;
  return {
    async request(request, signal) {
      const exchange = new FetchExchange(options.clock, request, signal);
      return await exchange.send(doFetch);
    },
    close() {},
  };
}

class FetchExchange implements UpstreamResponse {
  readonly #request: UpstreamRequest;
  readonly #signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #watchdog: Watchdog;
  #late: string | undefined;
  #response: Response | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #ended = false;

  constructor(clock: Clock, request: UpstreamRequest, signal: AbortSignal) {
    this.#request = request;
    this.#signal = signal;
    this.#watchdog = new Watchdog(clock, {
      totalMs: request.timeouts.totalMs,
      onLate: (what) => {
        this.#late = what;
        this.#controller.abort();
      },
    });
  }

  async send(doFetch: typeof fetch): Promise<UpstreamResponse> {
    const request = this.#request;
    if (this.#signal.aborted) throw this.#failure("was not called", undefined);
    if (request.addresses === "public") {
      this.#end();
      throw new UpstreamError(
        "operator",
        "Cannot call a host by fetch: the request is for public addresses alone",
      );
    }
    this.#signal.addEventListener("abort", this.#onAbort);
    if (request.stream) this.#watchdog.arm(request.timeouts.firstByteMs, "begin to answer");
    try {
      const { body } = request;
      this.#response = await doFetch(request.url, {
        method: request.method,
        headers: request.headers,
        ...(body === undefined
          ? {}
          : { body: isStreamed(body) ? streamOf(body) : wholeBody(body) }),
        redirect: "manual",
        signal: this.#controller.signal,
      });
    } catch (error) {
      throw this.#failure("did not answer", error);
    }
    this.#watchdog.disarm();
    this.#reader = this.#response.body?.getReader();
    if (this.#reader === undefined) this.#end();
    return this;
  }

  get status(): number {
    return this.#response!.status;
  }

  header(name: string): string | undefined {
    return this.#response!.headers.get(name) ?? undefined;
  }

  async read(limitMs: number): Promise<Uint8Array | undefined> {
    if (this.#ended) {
      if (this.#late !== undefined || this.#signal.aborted) {
        throw this.#failure("was closed", undefined);
      }
      return undefined;
    }
    this.#watchdog.arm(limitMs, "send more");
    try {
      const { done, value } = await this.#reader!.read();
      this.#watchdog.disarm();
      if (!done) return value;
      this.#end();
      return undefined;
    } catch (error) {
      throw this.#failure("cut its answer", error);
    }
  }

  text(maxBytes: number, room?: AnswerRoom): Promise<string> {
    return collectText(this, { maxBytes, room, limitMs: this.#request.timeouts.totalMs });
  }

  close(): void {
    if (this.#ended) return;
    this.#end();
    this.#controller.abort();
    this.#reader?.cancel().catch(ignoreCancelled);
  }

  release(): void {
    if (!this.#ended) void drain(this);
  }

  #onAbort = (): void => {
    this.#controller.abort();
  };

  #end(): void {
    this.#ended = true;
    this.#watchdog.stop();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #failure(what: string, cause: unknown): UpstreamError {
    this.#end();
    if (this.#signal.aborted) return new UpstreamError("aborted", "The call was aborted");
    if (this.#late !== undefined) {
      const message = `${peerOf(this.#request)} did not ${this.#late}`;
      return new UpstreamError("broken", message, { isUnanswered: true });
    }
    // That nothing was sent, the runtime says in words alone.
    const isUnanswered = !/\b(?:connect|dns) error\b/i.test(String(cause));
    return new UpstreamError("broken", `${peerOf(this.#request)} ${what}`, { cause, isUnanswered });
  }
}

/**
 * The pieces as the runtime takes them: each a copy, as it reads ahead. It sends them in chunks and
 * tells no length.
 */
function streamOf(body: StreamedBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = body.open()[Symbol.asyncIterator]();
  let left = body.bytes;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      left -= value?.length ?? 0;
      if (left < 0 || (done === true && left > 0)) throw new BodyLengthError();
      if (done === true) controller.close();
      else controller.enqueue(value.slice());
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

/** Cancelling a body that failed already rejects with that failure, which was reported before. */
function ignoreCancelled(): void {}
