/**
 * Reads a whole body as text within a cap on decoded bytes.
 *
 * @module
 */

import { UpstreamError } from "../provider.ts";
import type { UpstreamResponse } from "./contract.ts";

const decoder = new TextDecoder();

/** @throws {UpstreamError} `broken` when the body is larger than `maxBytes`; closes it then. */
export async function collectText(
  response: Pick<UpstreamResponse, "read" | "close">,
  options: { readonly maxBytes: number; readonly limitMs: number },
): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const bytes = await response.read(options.limitMs);
    if (bytes === undefined) break;
    size += bytes.length;
    if (size > options.maxBytes) throw tooLarge(response, options.maxBytes);
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
  return decoder.decode(whole);
}

/** Closes an answer that is larger than wanted, and gives the error that says so. */
export function tooLarge(
  response: Pick<UpstreamResponse, "close">,
  maxBytes: number,
): UpstreamError {
  response.close();
  return new UpstreamError("broken", `The upstream's answer is larger than ${maxBytes} bytes`);
}
