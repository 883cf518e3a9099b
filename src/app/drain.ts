/**
 * The end of serving: calls under way end, and nothing new begins.
 *
 * @module
 */

import type { CallEngine } from "../gateway/call_engine.ts";
import { delay } from "../gateway/delay.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import type { Listener } from "../http/listener.ts";

/** What the last frames of streams may take to reach their readers once the drain is over. */
const LAST_BYTES_MS = 1_000;

/**
 * Lets calls and downloads under way end; after `timeoutMs` streams end with an error frame, the rest is cut.
 */
export async function drain(
  engine: Pick<CallEngine, "drain" | "stopStreams">,
  responses: Responses,
  listener: Pick<Listener, "drain" | "downloaded" | "close">,
  timeoutMs: number,
): Promise<void> {
  const abort = new AbortController();
  const idle = engine.drain();
  const tooLate = delay(timeoutMs, abort.signal);
  await Promise.race([idle, tooLate]);
  engine.stopStreams();
  await responses.stop();
  const sent = listener.drain();
  await Promise.race([listener.downloaded(), tooLate]);
  abort.abort();
  const grace = new AbortController();
  await Promise.race([sent, delay(LAST_BYTES_MS, grace.signal)]);
  grace.abort();
  listener.close();
  await idle;
}
