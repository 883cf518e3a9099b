/**
 * Reads a whole request body within limits.
 *
 * @module
 */
import { awaitTurn } from "../../limits/await_turn.ts";
import type { ByteRoom } from "../../limits/stay.ts";
import { BodyAbortedError, BodyTooLargeError, BodyTooSlowError } from "./body_errors.ts";
import { BodyPace } from "../listener/body_pace.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

/** The limits of one body. */
export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** Least rate in bytes/s, behind which a body may fall for some seconds; default: the listener's, or none. */
  readonly minBytesPerSecond?: number;
  /** Reserves what is read; the caller releases `bytes.length` when it lets go of the body. */
  readonly budget?: ByteRoom;
}

/** How far behind its least rate a body may be that came from elsewhere. */
const SILENCE_MS = 15_000;

/**
 * The whole body; empty if there is none. A body that is refused is not read any further: answer
 * at once, and the listener sees to it that the client can read the answer.
 *
 * @throws {BodyTooLargeError} answer 413
 * @throws {BodyMalformedError} answer 400
 * @throws {GatewayError} `pool_limit_exceeded`, by the budget or when its project has sent too many
 * large ones
 * @throws {BodyTooSlowError} {BodyAbortedError} the connection is closed: nobody can be answered
 */
export async function readBody(
  request: Request,
  options: ReadBodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const incoming = IncomingRequest.takeBody(request);
  if (incoming === undefined) return await readPlatformBody(request, options);
  if (options.minBytesPerSecond !== undefined) {
    incoming.minBytesPerSecond = options.minBytesPerSecond;
  }
  const { maxBytes, budget } = options;
  const { length } = incoming;
  // A body that is refused for its length is not waited for, nor is one that there is not.
  const hasNoTurn = length === 0 || (length !== undefined && length > maxBytes);
  const turn = hasNoTurn ? undefined : awaitTurn(budget, length ?? 0);
  if (turn !== undefined) await turn;
  const bytes = await incoming.readAll(maxBytes, budget);
  if (length === undefined) budget?.turnInMs?.(bytes.length);
  return bytes;
}

/** The same for a `Request` that came from elsewhere: from a test, or from another server. */
async function readPlatformBody(
  request: Request,
  { maxBytes, minBytesPerSecond, budget }: ReadBodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw new BodyTooLargeError(maxBytes);
  }
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  const deadline = minBytesPerSecond === undefined
    ? undefined
    : new RateDeadline(minBytesPerSecond, () => reader.cancel().catch(() => undefined));
  let length = 0;
  let reserved = 0;
  try {
    for (;;) {
      deadline?.arm();
      const { value, done } = await reader.read().catch((cause) => {
        throw new BodyAbortedError({ cause });
      });
      deadline?.disarm(value?.length ?? 0);
      if (done) break;
      length += value.length;
      if (length > maxBytes) throw new BodyTooLargeError(maxBytes);
      budget?.reserve(value.length);
      reserved = length;
      parts.push(value);
    }
    if (deadline?.missed) throw new BodyTooSlowError(minBytesPerSecond!);
  } catch (error) {
    deadline?.disarm(0);
    budget?.release(reserved);
    // The source may have failed itself, and then it has nothing to be told.
    reader.cancel(error).catch(() => undefined);
    throw error;
  }
  const all = new Uint8Array(length);
  let filled = 0;
  for (const part of parts) {
    all.set(part, filled);
    filled += part.length;
  }
  return all;
}

/** Gives up on a body when its next bytes come later than the least rate allows. */
class RateDeadline {
  missed = false;
  readonly #pace: BodyPace;
  readonly #giveUp: () => void;
  #armedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(minBytesPerSecond: number, giveUp: () => void) {
    this.#pace = new BodyPace(minBytesPerSecond);
    this.#giveUp = giveUp;
  }

  arm(): void {
    this.#armedMs = performance.now();
    this.#timer = setTimeout(() => {
      this.missed = true;
      this.#giveUp();
    }, Math.max(0, SILENCE_MS - this.#pace.owedMs()));
  }

  disarm(receivedBytes: number): void {
    clearTimeout(this.#timer);
    this.#pace.waited(performance.now() - this.#armedMs, receivedBytes);
  }
}
