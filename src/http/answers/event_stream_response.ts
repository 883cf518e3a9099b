/**
 * Answers that are streams of server-sent events.
 *
 * @module
 */

import type { StreamAnswer } from "../../gateway/call_engine.ts";
import { LeanResponse } from "../listener/lean_response.ts";

/** Makes the answer; who serves it is told before its first byte. `extra` headers come after the standard ones. */
export function eventStreamResponse(
  { body, provider, route }: StreamAnswer,
  requestId: string,
  extra?: Readonly<Record<string, string>>,
): Response {
  return LeanResponse.make(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-request-id": requestId,
      "x-tollgate-provider": provider,
      "x-tollgate-route": route,
      ...extra,
    },
  });
}
