/**
 * What was asked of an upstream before anybody awaits the answer: whoever reads on does as if it had
 * been asked just then.
 *
 * @module
 */

import type { EventFeed } from "./event_feed.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import type { Credential } from "./key_ring.ts";

/** A request that is under way, with the key whose turn it was. */
export interface BegunAsk {
  readonly credential: Credential;
  /** How many troubles of keys were noted when it was sent; see `KeyTroubles.noted`. */
  readonly noted: number;
  /** Monotonic time at which it was sent. */
  readonly sentAt: number;
  /** What of the answer was read already; absent: nothing. */
  readonly feed?: EventFeed | undefined;
  /**
   * The answer, to be read on by promises.
   *
   * @throws {UpstreamError} Of what came of it, too.
   */
  response(signal: AbortSignal): Promise<UpstreamResponse>;
}
