/**
 * The only place that makes upstream HTTP calls: the choice of the
 * implementation behind one interface.
 *
 * @module
 */

import type { Transport, TransportOptions } from "./transport/contract.ts";
import { createFetchTransport } from "./transport/fetch_transport.ts";

export type {
  Transport,
  TransportOptions,
  UpstreamRequest,
  UpstreamResponse,
} from "./transport/contract.ts";

/** The transport of the process. */
export function createTransport(options: TransportOptions): Transport {
  return createFetchTransport(options);
}
