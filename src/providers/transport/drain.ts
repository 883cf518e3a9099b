/**
 * Reads a nearly finished body to its end, so that its connection can be used
 * again.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "./contract.ts";
import { DRAIN_BYTES, DRAIN_MS } from "./limits.ts";

/** Never rejects: a body that does not end soon is closed. */
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
