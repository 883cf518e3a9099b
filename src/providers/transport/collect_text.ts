/**
 * Reads whole bodies: as text within a cap on decoded bytes, or to their end where nobody wants them.
 *
 * @module
 */

import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "./contract.ts";
import { DRAIN_BYTES, DRAIN_MS } from "./limits.ts";

const decoder = new TextDecoder();

/** What is read, and within what. */
export interface CollectOptions {
  readonly maxBytes: number;
  /** How long each read may wait for the upstream. */
  readonly limitMs: number;
  /** Where the bytes are counted as they come. */
  readonly room?: AnswerRoom | undefined;
}

/**
 * Closes a body that it does not take.
 *
 * @throws {UpstreamError} `broken` when it is larger than `maxBytes`.
 * @throws {GatewayError} When there is no room for it.
 */
export async function collectText(
  response: Pick<UpstreamResponse, "read" | "close">,
  options: CollectOptions,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const bytes = await response.read(options.limitMs);
    if (bytes === undefined) break;
    size += bytes.length;
    if (size > options.maxBytes) throw tooLarge(response, options.maxBytes);
    countOrClose(response, bytes.length, options.room);
    // Copied, because the bytes are only valid until the next read.
    parts.push(bytes.slice());
  }
  const whole = parts.length === 1 ? parts[0]! : new Uint8Array(size);
  if (parts.length !== 1) {
    let offset = 0;
    for (const part of parts) {
      whole.set(part, offset);
      offset += part.length;
    }
  }
  parts.length = 0;
  return decoder.decode(whole);
}

/** Counts bytes of an answer, or closes it where they have no room, and throws what says so. */
export function countOrClose(
  response: Pick<UpstreamResponse, "close">,
  bytes: number,
  room: AnswerRoom | undefined,
): void {
  try {
    room?.countAnswer(bytes);
  } catch (error) {
    response.close();
    throw error;
  }
}

/** Closes an answer that is larger than wanted, and gives the error that says so. */
export function tooLarge(
  response: Pick<UpstreamResponse, "close">,
  maxBytes: number,
): UpstreamError {
  response.close();
  return new UpstreamError("broken", `The upstream's answer is larger than ${maxBytes} bytes`);
}

/**
 * Reads a nearly finished body to its end, so that its connection can be used again. Never rejects: one
 * that does not end soon is closed.
 */
export async function drain(response: Pick<UpstreamResponse, "read" | "close">): Promise<void> {
  try {
    for (let seen = 0; seen <= DRAIN_BYTES;) {
      const bytes = await response.read(DRAIN_MS);
      if (bytes === undefined) return;
      seen += bytes.length;
    }
  } catch (error) {
    // What goes wrong after the last event is nobody's loss; the connection is closed below.
    if (!(error instanceof UpstreamError)) throw error;
  }
  response.close();
}
