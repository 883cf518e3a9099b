/**
 * Who waits for a call that goes on by callbacks.
 *
 * @module
 */

import type { TextParts } from "../domain/text_parts.ts";

/** Who waits for the answer. Of `answer`, `begin` and `handOver` one is called, once. */
export interface QuickCaller {
  /** Gets the whole answer ready while the call is settled: `answer` takes it then, unless that fails. */
  prepare(text: string): void;
  /** Takes the whole answer, as JSON. */
  answer(text: string): void;
  /** The answer is a stream, by that provider and route; its first part follows at once. */
  begin(provider: string, route: string): void;
  /** Takes a part of the stream; tells by `QuickCall.sent` when the next may come. */
  part(text: string, isLast: boolean): void;
  /** From here on the call is awaited: until there is an answer, or it fails. */
  handOver(rest: Promise<unknown>): void;
  /** The same of a stream that has begun, once its last part is sent. */
  handOverParts(rest: TextParts): void;
}

/** What a settled call's caller is told may be a defect too. */
export function orElse(tell: () => void, failed: (error: unknown) => void): void {
  try {
    tell();
  } catch (error) {
    failed(error);
  }
}

/** What cannot be made while the call is written is made once it is, and tells then why not. */
export function metAgain(): void {}
