/**
 * What the faults of a built-in model do to an answer that comes in one piece.
 *
 * @module
 */

import type { ChatFaults } from "../../domain/chat_faults.ts";
import type { Clock } from "../../domain/clock.ts";
import { NO_BODY } from "../../dialects/base/error_form.ts";
import { errorOfAnswer } from "../upstream/make_error.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Patience } from "./patience.ts";

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
